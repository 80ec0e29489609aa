import type { IDataObject } from 'n8n-workflow';
import {
	runAgainstStub,
	type StubResponse,
	type StubRequest,
} from '../../exhaustive/apiVariants/stubServer';
import { CIEC, createTaxProfileParameters, operationParameters, rfcs } from './support';

const [RFC] = rfcs(1);

/** The record of a tax profile as TQ §2.1 describes it: the echo of the request's fields holds the CIEC. */
const profile = (more: object = {}, name = 'ciec'): IDataObject => ({
	_id: 'p1',
	service: 'TAX_PROFILE',
	status: 'SUCCESS',
	query: { rfc: RFC, [name]: CIEC },
	metadata: { clientType: 'PF', query: { rfc: RFC, [name]: CIEC } },
	response: { message: `Created with ${CIEC}` },
	createdAt: new Date().toISOString(),
	...more,
});
const answering =
	(record: IDataObject) =>
	({ path }: StubRequest): StubResponse => ({ body: path === '/api/query' ? [record] : record });

const get = (simplify: boolean) =>
	operationParameters('query', 'get', { queryId: 'p1', options: { simplify } });
const getMany = (simplify: boolean, options = {}) =>
	operationParameters('query', 'getAll', { returnAll: true, options: { simplify } }, options);

describe('the CIEC of a tax profile, which its record repeats, comes out masked', () => {
	it.each([
		['Query → Get', get(true)],
		['Query → Get without Simplify', get(false)],
		['Query → Get Many', getMany(true)],
		['Query → Get Many without Simplify', getMany(false)],
		['Query → Get Many with Complete Rows', getMany(false, { completeRows: true })],
	])('of %s', async (_what, parameters) => {
		const { rows } = await runAgainstStub(answering(profile()), parameters);
		expect([rows.length, JSON.stringify(rows).includes(CIEC)]).toEqual([1, false]);
	});

	it.each([
		['where the service is called otherwise', profile({ service: 'PERFIL_FISCAL' }), {}],
		[
			'where the field is called otherwise',
			profile({ service: 'PERFIL_FISCAL' }, 'clave'),
			{ fields: { createTaxProfile: { ciec: 'clave' } } },
		],
		['in capitals', profile({}, 'CIEC'), {}],
		['where it is a number', profile({ query: { rfc: RFC, ciec: 12345678 } }), {}],
		['in a field of its own', profile({ query: { login: { rfc: RFC, ciec: [CIEC] } } }), {}],
		['where it is called a password', profile({ query: { rfc: RFC, password: CIEC } }), {}],
		['where it is a clave', profile({ query: { rfc: RFC, clave: CIEC }, metadata: null }), {}],
		['in the response as contraseña', profile({ query: {}, metadata: null, response: { acceso: { Contraseña: CIEC }, text: `sent ${CIEC}` } }), {}], // prettier-ignore
		['in the response', profile({ query: {}, metadata: null, response: { ciec: CIEC } }), {}],
	])('%s', async (_where, record, apiMapping) => {
		const { rows } = await runAgainstStub(answering(record), get(false), { apiMapping });
		const text = JSON.stringify(rows);
		expect([rows[0]._id, text.includes(CIEC), text.includes('12345678')]).toEqual([
			'p1',
			false,
			false,
		]);
	});

	it.each([
		['as a number', { query: { rfc: RFC, ciec: 12345678 } }],
		['in capitals', { query: { rfc: RFC, ciec: CIEC.toUpperCase() }, response: null }],
		['in a text alone', { query: { rfc: RFC }, response: { message: `Created with ${CIEC}` } }],
	])('in the answer to Create Tax Profile: %s', async (_how, more) => {
		const record = profile({ metadata: null, response: {}, ...more });
		for (const simplify of [true, false]) {
			const parameters = { ...createTaxProfileParameters(RFC), options: { simplify } };
			const { rows } = await runAgainstStub(() => ({ body: record }), parameters);
			const text = JSON.stringify(rows).toUpperCase();
			expect([rows.length, text.includes(CIEC.toUpperCase()), text.includes('12345678')]).toEqual([
				1,
				false,
				false,
			]);
		}
	});

	it('and makes no column; a text that repeats it is masked whole', async () => {
		const { rows } = await runAgainstStub(answering(profile()), get(true));
		expect(rows).toEqual([
			{
				rfc: RFC,
				message: '***',
				pending: false,
				status: 'SUCCESS',
				service: 'TAX_PROFILE',
				createdAt: expect.any(String),
				queryId: 'p1',
			},
		]);
	});

	it('and a field of the same name as the renamed one stays in other results', async () => {
		const record = { ...profile({}, 'clave'), response: { clave: '601', ok: true } };
		const apiMapping = { fields: { createTaxProfile: { ciec: 'clave' } } };
		const { rows } = await runAgainstStub(answering(record), get(false), { apiMapping });
		expect(rows[0].response).toEqual({ clave: '601', ok: true });
	});

	it('and where it says no more than that there is one, nothing else is masked', async () => {
		const record = profile({
			query: { rfc: RFC, ciec: 'SI' },
			metadata: {},
			response: { a: 'SI' },
		});
		const { rows } = await runAgainstStub(answering(record), get(false));
		expect(rows[0]).toMatchObject({ status: 'SUCCESS', response: { a: 'SI' } });
	});
});

describe('an equal tax profile', () => {
	it.each([
		['ciec', {}],
		['clave', { fields: { createTaxProfile: { ciec: 'clave' } } }],
	])('is found again after its answer was lost, though masked: %s', async (name, apiMapping) => {
		const { rows, requests } = await runAgainstStub(
			({ method, path }) => {
				if (method === 'POST') return { status: 502 };
				return answering(profile({}, name))({ path } as StubRequest);
			},
			createTaxProfileParameters(RFC),
			{ apiMapping },
		);
		expect([
			rows.map(({ queryId, recovered }) => [queryId, recovered]),
			requests.filter(({ path }) => path.endsWith('/profile')).length,
			JSON.stringify(rows).includes(CIEC),
		]).toEqual([[['p1', true]], 1, false]);
	});

	it.each([true, false])(
		'finds a query with the CIEC as additional field, and hides it (Simplify: %s)',
		async (simplify) => {
			const csf = profile({ service: 'CSF' });
			const { rows } = await runAgainstStub(
				({ method, path }) => {
					if (method === 'POST') return { status: 502 };
					return answering(csf)({ path } as StubRequest);
				},
				operationParameters(
					'taxAuthority',
					'getCsf',
					{ rfc: RFC, options: { simplify } },
					{ additionalBodyFields: JSON.stringify({ ciec: CIEC }) },
				),
			);
			expect([rows[0]?.recovered, JSON.stringify(rows).includes(CIEC)]).toEqual([true, false]);
		},
	);
});
