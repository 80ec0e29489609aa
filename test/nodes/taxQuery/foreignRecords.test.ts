import type { IDataObject } from 'n8n-workflow';
import { runAgainstStub, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { codeOf } from '../../support/errorCode';
import { crfRecord, responderByRequestKind } from './crfStubResponses';
import { fakeService, respondJson } from './fakeService';
import { curps, getCrfParameters, itemsForRfcs, operationParameters, rfcs } from './support';

const [RFC, OTHER] = rfcs(2);
const [CURP, OTHER_CURP] = curps(2);
const FOREIGN = 'otherQuery';

const waited = { waitForResult: true, maxWait: 20 };
const crf = getCrfParameters({ rfc: RFC });
const waitingCrf = getCrfParameters({ rfc: RFC, ...waited });
const curpData = operationParameters('person', 'getCurpData', { curp: CURP });
const csf = operationParameters('taxAuthority', 'getCsf', { rfc: RFC, reuse: 'never' });
const codes = ({ warnings }: IDataObject) =>
	((warnings ?? []) as IDataObject[]).map(({ code }) => code);

const accepted = { body: { message: 'ok', queryId: 'q1' } };
const person = (curp: string, more: object = {}) =>
	crfRecord('q1', RFC, {
		...{ service: 'CURP', query: { curp }, response: { curp, nombre: 'LUIS' } },
		...more,
	});
const emma = { name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' };
const calculation = operationParameters('taxpayer', 'calculateRfc', {
	...emma,
	birthDate: '1956-12-03',
});
const born = (query: object) =>
	crfRecord('q1', '', { service: 'RFC_CALCULATOR', query, response: { rfc: RFC } });

describe('a foreign record fails the item, which names its ID:', () => {
	it.each<[string, IDataObject, StubResponse, unknown]>([
		['another person, at once', curpData, { body: person(OTHER_CURP) }, undefined],
		[
			'another query type, at once',
			curpData,
			{ body: person(CURP, { service: 'RFC_CALCULATOR' }) },
			undefined,
		],
		[
			'another person, still pending',
			crf,
			{ body: crfRecord('q1', OTHER, { status: 'PENDING' }) },
			undefined,
		],
		['another person, by its ID', waitingCrf, accepted, crfRecord('q1', OTHER)],
		[
			'another query type, by its ID',
			waitingCrf,
			accepted,
			crfRecord('q1', RFC, { service: 'CURP' }),
		],
	])('%s', async (_how, parameters, post, byId) => {
		const { rows, error } = await runAgainstStub(
			responderByRequestKind({ post, byId }),
			parameters as never,
		);
		expect({ rows, code: codeOf(error), ids: error?.context?.queryIds }).toEqual({
			...{ rows: [], code: FOREIGN, ids: ['q1'] },
		});
	});

	it.each<[string, object, object]>([
		['another birth date', { ...emma, day: 4, month: 12, year: 1956 }, {}],
		['another birth date in a mapped field', { dia: 4 }, { day: 'dia' }],
	])('%s', async (_when, query, names) => {
		const { rows, error } = await runAgainstStub(
			responderByRequestKind({ post: { body: born(query) } }),
			calculation,
			{ apiMapping: { fields: { calculateRfc: names } } },
		);
		expect({ rows, code: codeOf(error) }).toEqual({ rows: [], code: FOREIGN });
	});
});

it('an ID shared by three items fails those whose query it is not', async () => {
	const { rows, codes: failures } = await runAgainstStub(
		responderByRequestKind({ post: accepted, byId: crfRecord('q1', RFC) }),
		getCrfParameters(waited),
		{ items: itemsForRfcs(rfcs(3)), onError: 'continueRegularOutput' },
	);
	expect(rows.map(({ rfc }, at) => failures[at] ?? rfc)).toEqual([RFC, FOREIGN, FOREIGN]);
});

it('a foreign record under the right ID leaves the query pending, with the problem', async () => {
	const service = await fakeService({
		get: (one, response) =>
			respondJson(response, {
				...one,
				_id: 'of-somebody-else',
				query: {},
				response: { rfc: 'XYZ' },
			}),
	});
	const { items } = await service.run(getCrfParameters({ waitForResult: true, maxWait: 2 }), {
		items: itemsForRfcs([RFC]),
	});
	await service.close();
	const [{ _id }] = service.billed;
	expect(items.map(({ json }) => json)).toMatchObject([
		{ queryId: _id, pending: true, lastProblem: expect.any(String) },
	]);
});

it.each<[string, IDataObject, object, string | undefined]>([
	['another person', { query: { rfc: OTHER } }, {}, undefined],
	['an unknown person', { query: {} }, {}, 'CRF'],
	['another mapped query type', {}, { services: { getCsf: 'SITUACION' } }, 'CRF'],
])('a foreign record of %s has its query type in the error', async (_who, more, mapping, type) => {
	const { rows, error } = await runAgainstStub(
		responderByRequestKind({ post: accepted, byId: crfRecord('q1', RFC, more) }),
		{ ...csf, ...waited },
		{ apiMapping: mapping },
	);
	expect({ rows, code: codeOf(error), type: error?.context?.type }).toEqual({
		...{ rows: [], code: FOREIGN, type },
	});
});

describe('a record that may be the own one comes out', () => {
	it.each<[string, object, string[]]>([
		['whose RFC is masked, with a warning', { query: { rfc: 'GODE5001*****' } }, ['notEchoed']],
		['without its request, with a warning', { query: { channel: 'api' } }, ['notEchoed']],
		[
			'whose RFC has blanks and hyphens',
			{ query: { rfc: RFC.replace(/(.{4})(.{6})/, '$1-$2 ').toLowerCase() } },
			[],
		],
		[
			'whose RFC has another name, beside another person',
			{ query: { taxpayerId: RFC, requestedBy: OTHER } },
			[],
		],
		['of an unknown query type', { service: 'REGIMEN' }, ['unknownService']],
	])('%s', async (_how, more, warnings) => {
		const { rows, error } = await runAgainstStub(
			responderByRequestKind({ post: { body: crfRecord('q1', RFC, more) } }),
			crf,
		);
		expect(error).toBeUndefined();
		expect(rows.map((row) => ({ rfc: row.rfc, warnings: codes(row) }))).toEqual([
			{ rfc: RFC, warnings },
		]);
	});

	it.each<[string, object]>([
		['first', { taxId: RFC, rfc: OTHER }],
		['last', { rfc: OTHER, taxId: RFC }],
	])('whose RFC has its mapped name, %s, beside a field of the old name', async (_which, query) => {
		const { rows, error } = await runAgainstStub(
			responderByRequestKind({ post: { body: crfRecord('q1', RFC, { query }) } }),
			crf,
			{ apiMapping: { fields: { getCrf: { rfc: 'taxId' } } } },
		);
		expect(error).toBeUndefined();
		expect(rows).toMatchObject([{ rfc: RFC, queryId: 'q1' }]);
	});

	it("without an additional field that is called as every object's constructor", async () => {
		const { rows, error } = await runAgainstStub(
			responderByRequestKind({ post: { body: crfRecord('q1', RFC) } }),
			getCrfParameters({ rfc: RFC }, { additionalBodyFields: '{"constructor":"ACME"}' }),
		);
		expect(error).toBeUndefined();
		expect(rows).toMatchObject([{ rfc: RFC, queryId: 'q1' }]);
	});

	it.each<[string, object]>([
		['as text', { ...emma, day: '03', month: '12', year: '1956' }],
		['masked', { ...emma, day: '**', month: '**', year: '19**' }],
		['not at all', { ...emma }],
	])('of a calculated RFC whose birth date is repeated %s', async (_how, query) => {
		const { rows } = await runAgainstStub(
			responderByRequestKind({ post: { body: born(query) } }),
			calculation,
		);
		expect(rows.map(({ rfc }) => rfc)).toEqual([RFC]);
	});

	const COMPANY = 'EKU9003173C9';
	it.each<[string, string, string, object]>([
		['Shareholders', 'company', 'getShareholders', { rfc: COMPANY }],
		['Employment History', 'person', 'getEmploymentHistory', { curp: CURP }],
		['CRF', 'company', 'getShareholders', { rfc: COMPANY }],
	])('of a type whose name is not documented: %s', async (service, resource, name, query) => {
		const own = crfRecord('q1', RFC, { service, query, response: { x: 1 } });
		const { rows, error } = await runAgainstStub(
			responderByRequestKind({ post: accepted, byId: own }),
			operationParameters(resource, name, { ...query, ...waited, reuse: 'never' }),
		);
		expect(error).toBeUndefined();
		expect(rows).toMatchObject([{ queryId: 'q1', x: 1, warnings: [{ code: 'unknownService' }] }]);
	});

	it('with a warning if only its result names another person', async () => {
		const byCurp = person(CURP, { response: { curp: OTHER_CURP, nombre: 'LUIS' } });
		const byRfc = crfRecord('q1', RFC, { response: { RFC: OTHER, RazonSocial: 'X' } });
		const ofCurp = await runAgainstStub(
			responderByRequestKind({ post: { body: byCurp } }),
			curpData,
		);
		const ofRfc = await runAgainstStub(responderByRequestKind({ post: { body: byRfc } }), crf);
		const warnings = [{ code: 'otherIdentifier' }];
		expect(ofCurp.rows).toMatchObject([{ curp: OTHER_CURP, warnings }]);
		expect(ofCurp.rows[0].askedCurp).toBe(CURP);
		expect(ofRfc.rows).toMatchObject([{ rfc: OTHER, warnings }]);
		expect(ofRfc.rows[0].askedRfc).toBe(RFC);
	});
});
