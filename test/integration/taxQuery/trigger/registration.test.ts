import { sandboxWithQueries, type SandboxWithQueries } from '../../support/queries';
import { failure, TriggerHost } from './triggerHost';

/** The sandbox's own registration, which stands beside the service's paths. */
const PATH = '/../sandbox/webhook';
const URL = 'https://n8n.example.com/webhook/webhook-1/tax-query';

let sandbox: SandboxWithQueries;
let host: TriggerHost;
beforeEach(async () => (sandbox = await sandboxWithQueries()));
afterEach(async () => {
	await host.stop();
	await sandbox.close();
});

const start = async (parameters: Record<string, string | boolean> = {}) =>
	(host = await TriggerHost.start({ credentials: sandbox.credentials(), parameters }));
const byHttp = (fields: Record<string, string> = {}) => ({
	registration: 'http',
	registrationPath: PATH,
	registrationMethod: 'PUT',
	lookUpPath: PATH,
	removalPath: PATH,
	...fields,
});
const registered = async () => (await sandbox.control.get<{ url: string }>('/webhook')).data.url;

describe('registration by hand', () => {
	it('sends nothing to the service', async () => {
		await start();
		await host.hook('checkExists');
		await host.hook('create');
		await host.hook('delete');
		expect(await sandbox.requests('/sandbox/webhook')).toEqual([]);
	});

	it('needs the Tax Query credential, for the trigger asks the service', async () => {
		host = await TriggerHost.start({ credentials: {}, activation: null });
		expect(await failure(host.publish('activate'))).toMatch(/credential/i);
	});

	it('needs none where what is delivered is believed', async () => {
		const secret = { method: 'header', secret: 'whsec-1', headerName: 'X-Secret' };
		host = await TriggerHost.start({
			credentials: { taxQueryWebhookApi: secret },
			parameters: { receiveBy: 'webhook', authenticity: 'credential', confirm: false },
		});
		expect(await host.hook('checkExists')).toBe(true);
	});
});

describe('registration by an HTTP request', () => {
	it('tells the service the production URL', async () => {
		await start(byHttp());
		await host.hook('create');
		expect(await registered()).toBe(URL);
	});

	it('sends the further fields along', async () => {
		await start(byHttp({ furtherFields: '{"shape":"envelope"}' }));
		await host.hook('create');
		const { data } = await sandbox.control.get<object>('/webhook');
		expect(data).toMatchObject({ shape: 'envelope' });
	});

	it('looks before it registers, and only looks', async () => {
		await start(byHttp());
		const before = await host.hook('checkExists');
		const untouched = await registered();
		await host.hook('create');
		expect({ before, untouched, after: await host.hook('checkExists') }).toEqual({
			before: false,
			untouched: '',
			after: true,
		});
	});

	it('removes the URL when the workflow is deactivated', async () => {
		await start(byHttp());
		await host.hook('create');
		await host.hook('delete');
		expect(await registered()).toBe('');
	});

	it.each([PATH, ''])(
		'a test in the editor leaves the production URL; Removal Path: %j',
		async (removalPath) => {
			await start(byHttp({ removalPath }));
			await host.hook('create');
			await host.listenInEditor();
			expect(await registered()).toBe(URL);
			await host.hook('delete');
			expect(await registered()).toBe(removalPath === '' ? URL : '');
		},
	);

	it('a test in the editor sends nothing, and leaves the ID to the published workflow', async () => {
		await sandbox.faults({ path: '/api/hook', fault: { status: 201, body: { id: 'reg 7' } } });
		await start(
			byHttp({
				registrationMethod: 'POST',
				registrationPath: '/hook',
				lookUpPath: '',
				removalPath: '/hook/{ID}',
			}),
		);
		await host.listenInEditor();
		await host.hook('create');
		await host.listenInEditor();
		await host.hook('delete');
		const sent = [
			...(await sandbox.requests('/api/hook')),
			...(await sandbox.requests('/api/hook/reg%207')),
		];
		expect(sent.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
	});

	it('takes a registration that is gone already for removed', async () => {
		await start(byHttp({ removalPath: '/webhooks/none' }));
		expect(await host.hook('delete')).toBe(true);
	});

	it('does not swallow a refusal to register', async () => {
		await start(byHttp({ urlField: 'address' }));
		expect(await failure(host.hook('create'))).toBe(
			'The Tax Query Service did not accept the values sent',
		);
	});

	it.each(['checkExists', 'delete'] as const)('does not swallow a failed %s', async (hook) => {
		await sandbox.faults({ path: '/api/hook', fault: { status: 403 } });
		await start(byHttp({ lookUpPath: '/hook', removalPath: '/hook' }));
		expect(await failure(host.hook(hook))).toBe(
			'The Tax Query Service does not allow this operation',
		);
	});

	it('removes it by the ID that the service gave, also after the node was renamed', async () => {
		const given = { path: '/api/hook', fault: { status: 201, body: { data: { id: 'reg 7' } } } };
		await sandbox.faults(given);
		await start(byHttp({ registrationPath: '/hook', removalPath: '/hook/{ID}' }));
		await host.hook('create');
		host.name = 'Results of the night';
		await host.hook('delete');
		expect(await sandbox.requests('/api/hook/reg%207')).toEqual([
			expect.objectContaining({ method: 'DELETE' }),
		]);
	});

	it('never removes the registration of another workflow', async () => {
		const other = { id: 'of another', url: 'https://n8n.example.com/webhook/another' };
		await sandbox.faults({ path: '/api/hook', fault: { status: 201, body: [other] } });
		await start(byHttp({ registrationPath: '/hook', removalPath: '/hook/{ID}' }));
		await host.hook('create');
		expect(await failure(host.hook('delete'))).toMatch(/the service gave no ID/);
	});

	it('says so if it cannot remove for want of an id', async () => {
		await start(byHttp({ removalPath: '/hook/{ID}' }));
		await host.hook('create');
		expect(await failure(host.hook('delete'))).toMatch(/the service gave no ID/);
	});

	it('sends the token to no other host', async () => {
		await start(byHttp({ registrationPath: 'https://elsewhere.example.com/hook' }));
		expect(await failure(host.hook('create'))).toMatch(/is no path below the base URL/);
	});
});
