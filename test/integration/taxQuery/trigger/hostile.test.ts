import { attacks, send } from './attacks';
import { sandboxWithQueries, type SandboxWithQueries } from '../../support/queries';
import { TriggerHost } from './triggerHost';

describe('a hostile delivery starts nothing and is refused:', () => {
	let sandbox: SandboxWithQueries;
	let record: Record<string, unknown>;
	beforeAll(async () => {
		sandbox = await sandboxWithQueries();
		record = await sandbox.result();
	});
	afterAll(async () => await sandbox.close());

	it('in no fewer than 40 ways', () => {
		expect(attacks.length).toBeGreaterThanOrEqual(40);
	});

	it.each(attacks.map((attack) => [attack.what, attack.expected, attack] as const))(
		'%s: %i',
		async (_what, expected, { credential, body, headers = () => [] }) => {
			const host = await TriggerHost.start({
				credentials: {
					...sandbox.credentials(),
					...(credential && { taxQueryWebhookApi: credential }),
				},
				parameters: { authenticity: credential ? 'credential' : 'none' },
			});
			const content = body(record);
			const status = await send(host.url, content, headers(content));
			await host.stop();
			expect({ status, executions: host.executions, log: host.log }).toEqual({
				status: expected,
				executions: [],
				log: [],
			});
		},
	);
});
