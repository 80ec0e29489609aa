import type { INodeParameters } from 'n8n-workflow';
import { codeOf, codeAndFieldOf } from '../../support/errorCode';
import { packageNodesByType, type NodeRunOptions } from '../../support/runNodeInEngine';
import { runAgainstStub } from '../../support/stubServer';
import {
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from './support';
import { sandboxForTestGroup } from '../../support/sharedSandbox';

const [RFC] = rfcs(1);
const COMPANY = 'EKU9003173C9';

describe('the options of a query', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);
	const billed = async () => (await sandbox.ledger()).length;
	const bodyOf = async (path: string) => (await sandbox.requests(path))[0].body;

	describe('External Reference', () => {
		const referring = (parameters = {}) =>
			getCrfParameters(parameters, { externalReference: '={{ $json.customer }}' });
		const items = [
			{ rfc: RFC, customer: 'C-1' },
			{ rfc: rfcs(2)[1], customer: 'C-2' },
		];

		it('comes out beside the query ID of each item', async () => {
			const result = await sandbox.run(referring(), { items });
			const ids = (await sandbox.ledger()).map(({ query, queryId }) => [query.rfc, queryId]);
			expect(result.items.map(({ json }) => [json.externalReference, json.queryId])).toEqual(
				items.map(({ rfc, customer }) => [customer, Object.fromEntries(ids)[rfc]]),
			);
		});

		it('comes out without Simplify, too', async () => {
			const result = await sandbox.run(referring({ options: { simplify: false } }), { items });
			expect(result.items.map(({ json }) => json.externalReference)).toEqual(['C-1', 'C-2']);
		});

		it('is not sent', async () => {
			await sandbox.run(referring(), { items });
			expect(await bodyOf('/api/query/crf')).toEqual({ rfc: RFC });
		});
	});

	describe('Max Queries per Execution', () => {
		const limited = (maxQueries: number, options = {}) =>
			getCrfParameters({}, { ...options, spendingLimits: { maxQueries } });
		const items = rfcs(10).map((rfc) => ({ rfc }));

		it('stops an execution of too many items before any is sent', async () => {
			const { error } = await sandbox.run(limited(9), { items });
			expect([codeOf(error), await billed()]).toEqual(['limitOfExecution', 0]);
		});

		it('lets as many through as it allows where items may fail', async () => {
			const result = await sandbox.run(limited(9), { items, onError: 'continueRegularOutput' });
			const failed = result.items.filter(({ json }) => json.error);
			expect([failed.length, await billed()]).toEqual([1, 9]);
		});

		it('counts over all runs of the node in an execution, as an agent makes them', async () => {
			const [executionId, memory] = ['agent-1', {}];
			const run = async (from: number) =>
				await sandbox.run(limited(5), { items: items.slice(from, from + 3), executionId, memory });
			const [first, second] = [await run(0), await run(3)];
			expect([first.error, codeOf(second.error), await billed()]).toEqual([
				undefined,
				'limitOfExecution',
				3,
			]);
		});

		it('counts each month of invoices', async () => {
			const { error } = await sandbox.run(
				operationParameters(
					'taxAuthority',
					'getInvoices',
					{ rfc: RFC, period: 'months', firstMonth: '2025-01', lastMonth: '2025-12' },
					{ spendingLimits: { maxQueries: 11 } },
				),
			);
			expect(codeOf(error)).toBe('limitOfExecution');
		});

		describe('for an AI agent', () => {
			const eleven = rfcs(11).map((rfc) => ({ rfc }));
			const asTool = async (options = {}, more: Partial<NodeRunOptions> = {}) =>
				await sandbox.run(getCrfParameters({}, options), { items: eleven, isTool: true, ...more });

			it('is 10 unless it is set', async () => {
				const { error } = await asTool();
				expect([codeOf(error), await billed()]).toEqual(['limitOfExecution', 0]);
			});

			it('is what the operator sets', async () => {
				const { error } = await asTool({ spendingLimits: { maxQueries: 11 } });
				expect([error, await billed()]).toEqual([undefined, 11]);
			});

			it('counts over all its calls in an execution', async () => {
				const memory = {};
				const call = async (rfc: string) =>
					await asTool({}, { items: [{ rfc }], executionId: 'agent-2', memory });
				for (const rfc of rfcs(10)) await call(rfc);
				const { error } = await call(rfcs(11)[10]);
				expect([codeOf(error), await billed()]).toEqual(['limitOfExecution', 10]);
			});

			it('counts each call by itself where there is no execution (MCP Server Trigger)', async () => {
				const memory = {};
				const call = async () =>
					await asTool({}, { items: eleven.slice(0, 6), executionId: null, memory });
				const runs = [await call(), await call()];
				expect([runs.map(({ error }) => error), await billed()]).toEqual([
					[undefined, undefined],
					12,
				]);
			});
		});

		it('does not count what is reused', async () => {
			await sandbox.run(getCrfParameters({ waitForResult: true }), { items });
			const { error } = await sandbox.run(
				getCrfParameters({ reuse: 'hours', reuseHours: 1 }, { spendingLimits: { maxQueries: 0 } }),
				{ items },
			);
			expect(error).toBeUndefined();
		});
	});

	describe.each([
		['empty', '={{ "" }}'],
		['undefined', '={{ $json.nothing }}'],
		['null', '={{ null }}'],
		['an object', '={{ ({}) }}'],
		['a word', '={{ "many" }}'],
		['negative', '={{ -1 }}'],
	])('one that was added and comes out %s', (_what, value) => {
		it.each([
			['timeout', 'Timeout (Seconds)'],
			['checkIdentifiers', 'Check Identifiers First'],
			['simplify', 'Simplify'],
		])('is an error that names it, and nothing is sent: %s', async (name, label) => {
			const { error } = await sandbox.run(getCrfParameters({}, { [name]: value }), {
				items: [{ rfc: RFC }],
			});
			expect([error?.context?.field, await billed()]).toEqual([label, 0]);
		});

		it.each([
			['maxQueries', 'Max Queries per Execution'],
			['maxQueriesPerDay', 'Max Queries per Day'],
			['sendAgain', 'Send Again If Unsure'],
		])('is an error of a spending limit, too: %s', async (name, label) => {
			const { error } = await sandbox.run(
				getCrfParameters({}, { spendingLimits: { [name]: value } }),
				{
					items: [{ rfc: RFC }],
				},
			);
			expect([error?.context?.field, await billed()]).toEqual([label, 0]);
		});

		it.each([
			['reuse', {}, 'Reuse Results'],
			['reuseHours', { reuse: 'hours' }, 'Reuse Results Up To (Hours)'],
			['maxWait', { waitForResult: true }, 'Max Wait (Seconds)'],
			['waitForResult', {}, 'Wait for Result'],
		])('is an error that names the field, too: %s', async (name, others, label) => {
			const { error } = await sandbox.run(getCrfParameters({ ...others, [name]: value }), {
				items: [{ rfc: RFC }],
			});
			expect([error?.context?.field, await billed()]).toEqual([label, 0]);
		});
	});

	it.each(['={{ "" }}', '={{ $json.nothing }}', '={{ null }}'])(
		'Additional Body Fields that come out empty are an error: %s',
		async (additionalBodyFields) => {
			const { error } = await sandbox.run(getCrfParameters({}, { additionalBodyFields }), {
				items: [{ rfc: RFC }],
			});
			expect([codeAndFieldOf(error), await billed()]).toEqual([
				['field.object', 'Additional Body Fields'],
				0,
			]);
		},
	);

	it('Additional Body Fields are sent beside the fields', async () => {
		await sandbox.run(
			operationParameters(
				'company',
				'getShareholders',
				{ rfc: COMPANY },
				{ additionalBodyFields: '{"depth": 2}' },
			),
		);
		expect(await bodyOf('/api/query/company-shareholders')).toEqual({ rfc: COMPANY, depth: 2 });
	});

	it('Additional Body Fields replace a field of the same name', async () => {
		const additionalBodyFields = { rfc: rfcs(2)[1] };
		await sandbox.run(getCrfParameters({}, { additionalBodyFields }), { items: [{ rfc: RFC }] });
		expect(await bodyOf('/api/query/crf')).toEqual(additionalBodyFields);
	});

	it('Check Identifiers First, off, sends what is entered', async () => {
		const wrong = 'GODE561331GR8';
		await sandbox.run(getCrfParameters({}, { checkIdentifiers: 'off' }), {
			items: [{ rfc: wrong }],
		});
		expect(await bodyOf('/api/query/crf')).toEqual({ rfc: wrong });
	});

	it.each([
		['all', "D'Artagnan-Ñúñez de la O"],
		['all', 'O'],
		['off', 'X'],
		['all', 'Null Pérez'],
		['off', 'Null'],
	])('Check Identifiers First, %s, sends the name "%s"', async (checkIdentifiers, name) => {
		const born = { birthDateAs: 'date', birthDate: '1990-01-31' };
		const names = { name: 'Emma', firstLastName: name };
		await sandbox.run(
			operationParameters('taxpayer', 'calculateRfc', { ...names, ...born }, { checkIdentifiers }),
		);
		expect(await bodyOf('/api/query/rfc-calculator')).toMatchObject(names);
	});

	it.each([
		[
			'RFC',
			getCrfParameters({ rfc: 'GODE561231GR7' }),
			'identifier.DIGIT',
			/check digit of the RFC/,
		],
		[
			'CURP',
			operationParameters('person', 'getCurpData', { curp: 'MAME560626MDFLRN01' }),
			'identifier.WORD',
			/Positions 1–4 of the CURP form a word/,
		],
	])(
		'Check Identifiers First, strict, does not send the %s that has a warning',
		async (_what, parameters, code, warning) => {
			const strict = (checkIdentifiers: string) => ({
				...parameters,
				options: { checkIdentifiers },
			});
			const { error } = await sandbox.run(strict('strict'));
			expect(codeOf(error)).toBe(code);
			expect(error?.message).toMatch(/has a warning: /);
			expect(error?.message).toMatch(warning);
			expect(error?.description).toContain(
				"To send it anyway, set 'Check Identifiers First' to All.",
			);
			expect(await sandbox.ledger()).toEqual([]);
			const { items } = await sandbox.run(strict('all'));
			expect(items[0].json.warnings).toMatchObject([{ code: code.split('.')[1] }]);
		},
	);

	it('Check Identifiers First, strict, sends what has no warning, and odd names', async () => {
		const strict = { checkIdentifiers: 'strict' };
		await sandbox.run(getCrfParameters({ rfc: RFC }, strict));
		expect(await bodyOf('/api/query/crf')).toEqual({ rfc: RFC });
		const born = { birthDateAs: 'date', birthDate: '1990-01-31' };
		const names = { name: 'Emma', firstLastName: 'Null Pérez' };
		await sandbox.run(
			operationParameters('taxpayer', 'calculateRfc', { ...names, ...born }, strict),
		);
		expect(await bodyOf('/api/query/rfc-calculator')).toMatchObject(names);
	});

	it('Check Identifiers First sends a generic RFC where that is allowed', async () => {
		await sandbox.run(getCrfParameters({}, { checkIdentifiers: 'allowGeneric' }), {
			items: [{ rfc: 'XAXX010101000' }],
		});
		expect(await bodyOf('/api/query/crf')).toEqual({ rfc: 'XAXX010101000' });
	});
});

describe('Query → Get Many', () => {
	let sandbox: TaxQuerySandbox;
	const taxpayers = rfcs(60);
	beforeAll(async () => {
		sandbox = await taxQuerySandbox();
		await sandbox.run(getCrfParameters(), { items: taxpayers.map((rfc) => ({ rfc })) });
		await sandbox.run(operationParameters('taxpayer', 'getRfcData', { rfc: taxpayers[0] }));
	});
	afterAll(async () => await sandbox.close());

	const list = async (filters = {}, parameters = {}) => {
		const { items } = await sandbox.run(
			operationParameters('query', 'getAll', { returnAll: true, filters, ...parameters }),
		);
		return items.map(({ json }) => json);
	};

	it('returns all', async () => {
		expect(await list()).toHaveLength(61);
	});

	it('returns 50 by default', async () => {
		expect(await list({}, { returnAll: false })).toHaveLength(50);
	});

	it('filters by the kinds of queries that were chosen', async () => {
		expect(await list({ queries: ['getRfcData', 'getCsf'] })).toHaveLength(1);
	});

	it('filters by RFC as entered', async () => {
		const spaced = ` ${taxpayers[0].slice(0, 4).toLowerCase()} ${taxpayers[0].slice(4)}`;
		expect((await list({ rfc: spaced })).map(({ service }) => service).sort()).toEqual([
			'CRF',
			'RFC',
		]);
	});

	it('filters by status', async () => {
		expect(await list({ status: ['failed'] })).toEqual([]);
	});

	it('filters by when a query was created', async () => {
		const [{ createdAt }] = await list({ queries: ['getRfcData'] });
		const at = { createdAfter: createdAt };
		const later = { createdAfter: '2999-01-01' };
		const counts = [
			(await list(at)).length,
			(await list({ createdBefore: createdAt })).length,
			(await list(later)).length,
		];
		expect(counts).toEqual([1, 60, 0]);
	});

	it('reports when the service counts more queries than it lists', async () => {
		await sandbox.faults({
			path: '/api/query',
			exact: true,
			times: 1,
			fault: { status: 200, body: { data: [], total: 61 } },
		});
		const { error } = await sandbox.run(
			operationParameters('query', 'getAll', { returnAll: true }),
		);
		expect(error?.context).toMatchObject({ code: 'list.cut', listed: 0, total: 61 });
	});
});

describe('the option Personal Data of a query', () => {
	const status = `${RFC} no localizado, emma@example.com`;
	const record = { _id: `q-${RFC}`, service: 'CRF', status, query: { rfc: RFC }, response: {} };
	const ask = async (externalReference: string, options = {}) =>
		await runAgainstStub(
			({ method }) => ({ body: method === 'POST' ? record : [] }),
			getCrfParameters({ rfc: RFC, reuse: 'never' }, { externalReference, ...options }),
		);

	it("protects the receipt and the execution's metadata", async () => {
		const { hints, metadata } = await ask('C-1', { personalData: 'masked' });
		const text = JSON.stringify([hints, metadata]);
		expect([text.includes(RFC), text.includes('emma@'), metadata.externalReference]).toEqual([
			false,
			false,
			'C-1',
		]);
		expect(text).toContain(`${RFC.slice(0, 8)}****** no localizado, e***@example.com`);
	});

	it('holds for an identifier in an error, however it is written', async () => {
		const name = { name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' };
		const person = { ...name, birthDate: '1956-12-31' };
		const message = 'No hay EMMA GOMEZ-DIAZ (gode-561231-gr8), folio CRF-261122-007';
		const { error } = await runAgainstStub(
			({ method }) => (method === 'POST' ? { status: 422, body: { message } } : { body: [] }),
			operationParameters('taxpayer', 'calculateRfc', person, { personalData: 'masked' }),
		);
		expect(error?.description).not.toMatch(/gode-?561231/i);
	});

	it.each(['emma@example.com', 'Emma Gómez', 'Emma', '12345678903', '5512345678'])(
		'keeps no reference that may be a person: %s',
		async (reference) => {
			const full = await ask(reference);
			const { metadata } = await ask(reference, { personalData: 'masked' });
			expect([full.metadata.externalReference, metadata.externalReference]).toEqual([
				reference,
				undefined,
			]);
		},
	);
});

describe('Personal Data of a record', () => {
	const record = {
		_id: 'q-1',
		service: 'CSF',
		status: 'SUCCESS',
		createdAt: '2026-11-20T10:00:00.000Z',
		query: { rfc: 'GODE561231GR8' },
		response: { status: 'Emma', valid: 'Gómez', tutor: { nota: 'Díaz' }, since: '2001-02-03' },
		sinDocumentar: 'Luis',
	};
	const read = async (options: INodeParameters, simplify: boolean) => {
		const answer = () => ({ body: record });
		const parameters = operationParameters(
			'query',
			'get',
			{ queryId: 'q-1' },
			{ simplify, ...options },
		);
		return (await runAgainstStub(answer, parameters)).rows[0];
	};

	it('hides a response that is not documented whole, whatever its columns are called', async () => {
		expect(await read({ personalData: 'masked' }, true)).toEqual({
			rfc: 'GODE5612******',
			resultStatus: '******',
			outcome: 'result',
			reason: null,
			valid: '******',
			tutor: { nota: '******' },
			since: '2001',
			status: 'SUCCESS',
			service: 'CSF',
			createdAt: '2026-11-20T10:00:00.000Z',
			queryId: 'q-1',
		});
	});

	it('hides undocumented fields without Simplify, except Fields to Keep', async () => {
		expect(await read({ personalData: 'masked', fieldsToKeep: ['valid'] }, false)).toEqual({
			...record,
			query: { rfc: 'GODE5612******' },
			response: {
				status: '******',
				valid: 'Gómez',
				tutor: { nota: '******' },
				since: '2001',
			},
			sinDocumentar: '******',
		});
	});

	it('warns of a foreign result although both are masked', async () => {
		const other = { ...record, service: 'CRF', response: { RFC: 'EKU9003173C9' } };
		const parameters = operationParameters(
			'query',
			'get',
			{ queryId: 'q-1' },
			{ personalData: 'masked' },
		);
		const { rows } = await runAgainstStub(() => ({ body: other }), parameters);
		expect([rows[0].rfc, rows[0].askedRfc]).toEqual(['EKU9003******', 'GODE5612******']);
	});
});

it.each([
	['identifier', 'check', /^Free: nothing is sent or billed\.$/],
	['taxpayer', 'getCrf', /^Each run costs one query per different item\./],
	['taxAuthority', 'getInvoices', /^Each run costs one query per different item and month\./],
])('the panel says first what %s → %s costs', (resource, operation, cost) => {
	const [first] = packageNodesByType.taxQuery.description.properties.filter(
		({ name, displayOptions: { show = {} } = {} }) =>
			name !== 'toolDescription' &&
			show.resource?.includes(resource) &&
			show.operation?.includes(operation),
	);
	expect([first.type, first.displayName]).toEqual(['notice', expect.stringMatching(cost)]);
});
