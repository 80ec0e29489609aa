import type { INodeParameters } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../../sandbox/apiMapping';
import {
	getCrfParameters,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from '../../nodes/taxQuery/support';
import { TriggerHost } from '../../nodes/taxQuery/trigger/triggerHost';

const [RFC] = rfcs(1);
const mapping: TaxQueryMapping = {
	services: { getCrf: 'CONSTANCIA' },
	statuses: { success: ['LISTA'] },
};

let sandbox: TaxQuerySandbox;
let host: TriggerHost;
beforeAll(async () => {
	sandbox = await taxQuerySandbox({ mapping: { taxQuery: mapping } });
});
afterAll(async () => await sandbox.close());
afterEach(async () => await host.stop());

const publish = async (parameters: INodeParameters, known: object, verification: object = {}) =>
	(host = await TriggerHost.start({
		credentials: {
			taxQueryApi: sandbox.credentials({
				taxQueryApi: { apiMapping: JSON.stringify(known), pointsPerSecond: 0, ...verification },
			}).taxQueryApi,
		},
		parameters,
	}));
const ask = async () => {
	const { items } = await sandbox.run(
		getCrfParameters({ rfc: RFC, waitForResult: true, maxWait: 30 }),
		{
			apiMapping: mapping,
		},
	);
	return items[0].json.queryId;
};
const onCrf = { services: ['getCrf'] };
const onSuccess = { statuses: ['success'] };
/** Each names the word, and the key of the API Mapping. */
const reported = {
	service: [expect.stringMatching(/: CONSTANCIA\..* services\.getCrf in /)],
	status: [expect.stringMatching(/: LISTA\..* statuses\.success in /)],
};
const messages = () => host.errors.map(({ message }) => message);

describe('a trigger that chooses by a word which its mapping does not know', () => {
	it.each([
		['a query', onCrf, { statuses: mapping.statuses }, reported.service],
		['a status', onSuccess, { services: mapping.services }, reported.status],
		['a query, of another status', { ...onCrf, ...onSuccess }, {}, reported.service],
	])('says so once, as an error in the list of executions: %s', async (_, chosen, known, named) => {
		await publish(chosen, known);
		await ask();
		for (let polls = 0; polls < 3; polls++) await host.poll();
		await ask();
		await host.poll();
		expect([host.failures, messages(), host.executions]).toEqual([['leftOut'], named, []]);
	});

	it('says so when it is published, if such queries were made before', async () => {
		await ask();
		await publish(onCrf, {});
		expect([host.failures, messages()]).toEqual([['leftOut'], reported.service]);
	});

	it('reports an unknown label of a delivered result', async () => {
		const login = {
			webhookVerification: 'header',
			webhookHeaderName: 'X-Secret',
			webhookSecret: 'secret-of-the-sender',
		};
		await publish(
			{ ...onCrf, receiveBy: 'webhook', authenticity: 'credential', confirm: 'off' },
			{},
			login,
		);
		const record = { _id: 'q1', service: 'CONSTANCIA', status: 'LISTA', response: { RFC } };
		for (let times = 0; times < 2; times++) {
			await host.deliver(
				{ ...record, updatedAt: new Date().toISOString() },
				{ 'x-secret': login.webhookSecret },
			);
		}
		expect([messages(), host.executions]).toEqual([reported.service, []]);
	});

	it("says so in the editor's test", async () => {
		await ask();
		await publish({ ...onCrf, receiveBy: 'asking' }, {});
		await expect(host.testInEditor()).rejects.toMatchObject({
			context: { code: 'noResultYet' },
			description: expect.stringContaining('services.getCrf'),
		});
	});

	it('never says a word that holds an identifier', async () => {
		await publish(onCrf, {});
		const row = { _id: 'q2', service: `CRF ${RFC}`, status: 'LISTA', response: { RFC } };
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 200, body: [row] } });
		await host.poll();
		await sandbox.reset();
		expect(JSON.stringify([messages(), host.log])).not.toContain(RFC);
	});
});

describe('a trigger that knows what it chooses', () => {
	it('starts, and says nothing', async () => {
		await publish({ ...onCrf, ...onSuccess }, mapping);
		const queryId = await ask();
		await host.poll();
		expect([host.failures, host.started]).toEqual([[], [queryId]]);
	});

	it.each([
		[
			'another query that it knows',
			{ services: ['getCsf'] },
			{ services: { getCsf: 'SITUACION' } },
		],
		['all queries', { services: ['any'] }, { statuses: mapping.statuses }],
		['the unknown service by its own name', { settings: { otherServices: 'CONSTANCIA' } }, {}],
	])('says nothing of a service that it does not know: it is on %s', async (_, chosen, known) => {
		await publish(chosen, known);
		await ask();
		await host.poll();
		expect(host.failures).toEqual([]);
	});

	it('knows names that the service writes in lower case', async () => {
		const listing = async (body: object[]) =>
			await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 200, body } });
		const now = new Date().toISOString();
		const dates = { createdAt: now, updatedAt: now };
		await listing([]);
		await publish(onCrf, {});
		await listing([{ _id: 'q3', service: 'crf', status: 'success', response: { RFC }, ...dates }]);
		await host.poll();
		await sandbox.reset();
		expect([host.failures, host.started]).toEqual([[], ['q3']]);
	});
});
