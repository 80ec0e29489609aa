import {
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from './support';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const [RFC] = rfcs(1);
const curpData = (curp: string) => operationParameters('person', 'getCurpData', { curp });

/** What an operator reads who builds a workflow in the editor. */
describe('an error in the editor', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);

	type Run = Parameters<TaxQuerySandbox['run']>;
	const text = async (parameters: Run[0], more: Run[1] = {}) => {
		const { error } = await sandbox.run(parameters, { mode: 'manual', ...more });
		return [error?.message, error?.description];
	};
	const withCredential = (taxQueryApi: object) => ({
		credentials: sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0, ...taxQueryApi } }),
	});

	it('about a person who is not known speaks of the person, not of IDs', async () => {
		const { curp } = sandbox.reserved('notFound');
		expect(await text(curpData(curp))).toEqual([
			'No person was found for this CURP',
			expect.stringMatching(
				/^Compare it with an official document\. The service says: "No taxpayer was found for it"\./,
			),
		]);
	});

	it.each(['Cannot POST /api/query/crf', 'Route POST:/api/query/crf not found'])(
		'about a path that is not found speaks of no taxpayer: %s',
		async (message) => {
			const fault = { status: 404, body: { statusCode: 404, error: 'Not Found', message } };
			await sandbox.faults({ path: '/api/query/crf', fault });
			expect(await text(getCrfParameters({ rfc: RFC, reuse: 'never' }))).toEqual([
				'Something between n8n and the service answered with status 404, or the service has no such path',
				expect.stringMatching(/^Check the base URL.*The service says.*set paths\.getCrf in/),
			]);
		},
	);

	it('about a missing tax profile says what to run, and nothing else', async () => {
		expect(await text(operationParameters('taxAuthority', 'getCsf', { rfc: RFC }))).toEqual([
			'The Tax Query Service answered with status 409',
			'Run Tax Authority → Create Tax Profile for this RFC first, with its CIEC, if it has none yet. The service says: "There is no tax profile for this RFC; create one with POST /query/tax/profile first". Billed: nothing.',
		]);
	});

	it('about a wrong secret does not send the operator to Reuse Results', async () => {
		const [message, description] = await text(
			getCrfParameters({ rfc: RFC }),
			withCredential({ clientSecret: 'Not-the-secret-1' }),
		);
		expect(message).toBe('The service refused the client ID or secret');
		expect(description).toMatch(/^Check both in the credential\./);
		expect(description).not.toContain('Reuse Results');
	});

	it('says where to correct an unknown host', async () => {
		const baseUrl = 'http://no-such-host.invalid/api';
		expect(await text(getCrfParameters({ rfc: RFC }), withCredential({ baseUrl }))).toEqual([
			'The query service was not found: its host name is unknown',
			'Could not get an access token. Check the base URL of the credential, and the network of this n8n. Nothing was sent. Billed: nothing.',
		]);
	});

	it('still names Reuse Results where only the list is refused', async () => {
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 403, body: {} } });
		const [message, description] = await text(getCrfParameters({ rfc: RFC }));
		expect(message).toContain('The queries made could not be listed');
		expect(description).toContain("set 'Reuse Results' to Never");
	});

	it("quotes the service's message distinctly from ours", async () => {
		const fault = { status: 400, body: { message: '"view" in the query: must be "all"' } };
		await sandbox.faults({ path: '/api/query/crf', fault });
		const [, description] = await text(getCrfParameters({ rfc: RFC, reuse: 'never' }));
		expect(description).toContain(`The service says: "'view' in the query: must be 'all'".`);
	});
});
