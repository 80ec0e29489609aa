import type { IDataObject } from 'n8n-workflow';
import { runAgainstStub, type StubResponse, type StubRequest } from '../apiVariants/stubServer';
import { codeOf } from '../support/errorCode';
import { createTaxProfile, curps, getCrf, operation, rfcs } from './support';

const [RFC, OTHER] = rfcs(2);
const [CURP, OTHER_CURP] = curps(2);

const record = (_id: string, rfc: string, more: object = {}): IDataObject => ({
	_id,
	service: 'CRF',
	status: 'SUCCESS',
	query: { rfc },
	response: { RFC: rfc, RazonSocial: `OF ${rfc}` },
	createdAt: new Date().toISOString(),
	...more,
});
/** The POST is answered so, the list of queries so, and what is read by its ID so. */
const answering =
	(post: StubResponse, rows: unknown = [], byId: unknown = record('q1', OTHER)) =>
	({ method, path }: StubRequest): StubResponse => {
		if (method === 'POST') return post;
		return { body: path === '/api/query' ? rows : byId };
	};
const waiting = { waitForResult: true, maxWait: 20 };
const often = {};
const crf = getCrf({ rfc: RFC });
const waitingCrf = getCrf({ rfc: RFC, ...waiting }, often);
const csf = operation('taxAuthority', 'getCsf', { rfc: RFC, reuse: 'never' });
const jobs = operation('person', 'getEmploymentHistory', { curp: CURP, reuse: 'never' });
const curpData = operation('person', 'getCurpData', { curp: CURP });
const REFUSED = 'otherQuery';
const codes = ({ warnings }: IDataObject) =>
	((warnings ?? []) as IDataObject[]).map(({ code }) => code);
const posts = (requests: StubRequest[]) =>
	requests.filter(({ method, path }) => method === 'POST' && path.startsWith('/api/query')).length;

describe("somebody else's result", () => {
	const accepted = { body: { message: 'ok', queryId: 'q1' } };
	const person = (curp: string) =>
		record('q1', RFC, { service: 'CURP', query: { curp }, response: { curp, nombre: 'LUIS' } });

	it.each<[string, IDataObject, StubResponse, unknown]>([
		['comes at once', curpData, { body: person(OTHER_CURP) }, undefined],
		['is read by the ID that was answered', waitingCrf, accepted, record('q1', OTHER)],
		['is of another service', waitingCrf, accepted, record('q1', RFC, { service: 'CURP' })],
		['is still pending', crf, { body: record('q1', OTHER, { status: 'PENDING' }) }, undefined],
	])('is not given to an item: it %s', async (_how, parameters, post, byId) => {
		const { rows, error } = await runAgainstStub(answering(post, [], byId), parameters as never);
		expect([rows, codeOf(error), error?.context?.queryIds]).toEqual([[], REFUSED, ['q1']]);
	});

	const emma = { name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' };
	const calculation = operation('taxpayer', 'calculateRfc', { ...emma, birthDate: '1956-12-03' });
	const born = (query: object) =>
		record('q1', '', { service: 'RFC_CALCULATOR', query, response: { rfc: RFC } });
	it.each<[string, object, object?]>([
		['on another day', { ...emma, day: 4, month: 12, year: 1956 }],
		['on another day by its own name', { dia: 4 }, { day: 'dia' }],
	])('is not given to an RFC that is calculated: born %s', async (_when, query, names = {}) => {
		const { rows, error } = await runAgainstStub(answering({ body: born(query) }), calculation, {
			apiMapping: { fields: { calculateRfc: names } },
		});
		expect([rows, codeOf(error)]).toEqual([[], REFUSED]);
	});

	it.each<[string, object]>([
		['as text', { ...emma, day: '03', month: '12', year: '1956' }],
		['masked', { ...emma, day: '**', month: '**', year: '19**' }],
		['not at all', { ...emma }],
	])('is none of an RFC that is calculated where the birth is echoed %s', async (_how, query) => {
		const { rows } = await runAgainstStub(answering({ body: born(query) }), calculation);
		expect(rows.map(({ rfc }) => rfc)).toEqual([RFC]);
	});

	it('fails only the items whose query an ID shared by three is not', async () => {
		const { rows, codes: failures } = await runAgainstStub(
			answering(accepted, [], record('q1', RFC)),
			getCrf(waiting, often),
			{ items: rfcs(3).map((rfc) => ({ rfc })), onError: 'continueRegularOutput' },
		);
		expect(rows.map(({ legalName }, at) => legalName ?? failures[at])).toEqual([
			`OF ${RFC}`,
			REFUSED,
			REFUSED,
		]);
	});

	it.each<[string, unknown, string[]]>([
		['is masked', { rfc: 'GODE5001*****' }, ['notEchoed']],
		['has blanks and hyphens', { rfc: RFC.replace(/(.{4})(.{6})/, '$1-$2 ').toLowerCase() }, []],
		['is not there', { channel: 'api' }, ['notEchoed']],
	])('is none where the echo %s', async (_how, query, warnings) => {
		const answer = record('q1', RFC, { query });
		const { rows, error } = await runAgainstStub(answering({ body: answer }), crf);
		expect([error?.message, rows.map((row) => [row.legalName, codes(row)])]).toEqual([
			undefined,
			[[`OF ${RFC}`, warnings]],
		]);
	});

	it.each<[string, object, object]>([['that nobody knows', {}, { service: 'REGIMEN' }]])(
		'is none where the record is of a service %s',
		async (_what, apiMapping, more) => {
			const { rows } = await runAgainstStub(answering({ body: record('q1', RFC, more) }), crf, {
				apiMapping,
			});
			expect(rows.map(({ legalName }) => legalName)).toEqual([`OF ${RFC}`]);
		},
	);

	it.each<[string, IDataObject, string, object]>([
		[
			'Shareholders',
			operation('company', 'getShareholders', { rfc: 'EKU9003173C9' }),
			'RFC',
			{ rfc: 'EKU9003173C9' },
		],
		['Employment History', jobs, 'CURP', { curp: CURP }],
	])(
		'is none where a service has documented words only: %s',
		async (_name, parameters, service, query) => {
			const own = record('q1', RFC, { service, query, response: { x: 1 } });
			const sending = { ...parameters, ...waiting, reuse: 'never', options: often };
			const { rows, error } = await runAgainstStub(answering(accepted, [], own), sending as never);
			expect([error?.message, rows.map((row) => [row.queryId, row.x, codes(row)])]).toEqual([
				undefined,
				[['q1', 1, ['unknownService']]],
			]);
		},
	);

	it.each<[string, IDataObject, object, string | undefined]>([
		['somebody else', { query: { rfc: OTHER }, service: 'CRF' }, {}, undefined],
		['an unknown person', { query: {}, service: 'CRF' }, {}, 'CRF'],
		['another mapped service', { service: 'CRF' }, { services: { getCsf: 'SITUACION' } }, 'CRF'],
	])('names what a foreign record is: of %s', async (_who, more, apiMapping, type) => {
		const parameters = { ...csf, ...waiting, options: often };
		const own = record('q1', RFC, more);
		const { rows, error } = await runAgainstStub(
			answering(accepted, [], own),
			parameters as never,
			{
				apiMapping,
			},
		);
		expect([rows, codeOf(error), error?.context?.type]).toEqual([[], REFUSED, type]);
	});

	it('warns if only the result names another person', async () => {
		const corrected = person(CURP);
		(corrected.response as IDataObject).curp = OTHER_CURP;
		const { rows } = await runAgainstStub(answering({ body: corrected }), curpData);
		const ofRfc = record('q1', RFC, { response: { RFC: OTHER, RazonSocial: 'X' } });
		const { rows: others } = await runAgainstStub(answering({ body: ofRfc }), crf);
		expect(
			[...rows, ...others].map((row) => [
				row.curp ?? row.rfc,
				row.askedCurp ?? row.askedRfc,
				codes(row),
			]),
		).toEqual([
			[OTHER_CURP, CURP, ['otherIdentifier']],
			[OTHER, RFC, ['otherIdentifier']],
		]);
	});
});

describe('a refusal', () => {
	const refused = async (status: number, body: unknown, parameters = csf) => {
		const { error } = await runAgainstStub(answering({ status, body }), parameters);
		return error?.context;
	};

	it.each([404, 422])(
		'quotes the service and hints at a tax profile for status %i',
		async (status) => {
			expect(await refused(status, { message: 'Perfil no encontrado' })).toMatchObject({
				mayLackProfile: true,
				serviceMessage: 'Perfil no encontrado',
			});
		},
	);

	it.each([402])('%i is about no tax profile', async (status) => {
		const text = await refused(status, { message: 'Tax profile required' });
		expect(text).not.toHaveProperty('mayLackProfile');
	});

	it('of a query that needs no tax profile does not speak of one', async () => {
		const text = await refused(422, { message: 'Tax profile required' }, crf);
		expect(text).not.toHaveProperty('mayLackProfile');
	});
});

describe('a tax profile whose creation is answered without a record', () => {
	it.each<[string, StubResponse]>([
		['204', { status: 204, type: '' }],
		['a status', { status: 201, body: { status: 'CREATED' } }],
	])('is taken as created, unconfirmed: %s', async (_how, post) => {
		const { rows, error, requests } = await runAgainstStub(answering(post), createTaxProfile(RFC));
		expect([error?.message, rows.map((row) => [row.rfc, row.pending, codes(row)])]).toEqual([
			undefined,
			[[RFC, false, ['unconfirmed']]],
		]);
		expect(posts(requests)).toBe(1);
	});

	it.each<[string, StubResponse]>([
		['a failure', { body: { success: false } }],
		['a page', { type: 'text/html', body: '<html>' }],
	])('is not: %s', async (_how, post) => {
		const { rows, error } = await runAgainstStub(answering(post), createTaxProfile(RFC));
		expect([rows, codeOf(error)]).toEqual([[], 'unsure']);
	});
});

describe('invoices of several months', () => {
	const invoices = (firstMonth: string, lastMonth: string, more: object = {}) =>
		operation('taxAuthority', 'getInvoices', {
			...{ rfc: RFC, period: 'months', firstMonth, lastMonth, reuse: 'never' },
			...more,
		});
	const month = (queryId: string, period: string, status = 'PENDING') => ({
		queryId,
		period,
		status,
	});

	it('are failed, and not pending, where one has failed at once', async () => {
		const results = [month('x1', '2026-01'), month('x2', '2026-02', 'FAILED')];
		const { rows } = await runAgainstStub(
			answering({ body: { results } }),
			invoices('2026-01', '2026-02'),
		);
		expect(rows.map(({ status, pending, failed }) => [status, pending, failed])).toEqual([
			['PENDING', true, undefined],
			['FAILED', false, true],
		]);
	});

	it.each<[string, object[], string[]]>([
		['another month', [month('x1', '2026-01'), month('x2', '2025-02')], ['otherMonths']],
		['one twice', [month('x1', '2026-01'), month('x2', '2026-01')], ['otherMonths']],
		['their order', [month('x2', '2026-02'), month('x1', '202601')], []],
	])('compares invoice months with the requested ones: %s', async (_what, results, warnings) => {
		const { rows } = await runAgainstStub(
			answering({ body: { results } }),
			invoices('2026-01', '2026-02'),
		);
		expect(codes(rows[0])).toEqual(warnings);
	});

	it('returns the invoices except a foreign month, whose query ID it names', async () => {
		const months = ['2026-01', '2026-02', '2026-03'];
		const results = months.map((period, at) => month(`m${at}`, period));
		const ended = (at: number) =>
			record(`m${at}`, RFC, {
				service: 'INVOICE',
				query: { rfc: at === 1 ? OTHER : RFC, period: months[at] },
				response: { n: at },
			});
		const { rows, error } = await runAgainstStub(
			({ method, path }) => {
				if (method === 'POST') return { body: { results } };
				return { body: path === '/api/query' ? [] : ended(Number(path.slice(-1))) };
			},
			{ ...invoices('2026-01', '2026-03', waiting), options: often },
		);
		expect([error?.message, rows.map((row) => [row.queryId, row.n, codes(row)])]).toEqual([
			undefined,
			[
				['m0', 0, ['otherQuery']],
				['m2', 2, ['otherQuery']],
			],
		]);
		expect(rows[0].warnings).toEqual([
			expect.objectContaining({ message: expect.stringContaining(' m1, ') }),
		]);
	});

	it('are reused where they were made when the month was over, or today', async () => {
		const now = new Date();
		const monthOf = (at: Date) => at.toISOString().slice(0, 7);
		const day = 86_400_000;
		const lastOfPast = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - day);
		const made = (_id: string, period: string, at: number) =>
			record(_id, RFC, {
				service: 'INVOICE',
				query: { rfc: RFC, period },
				response: { invoices: [] },
				createdAt: new Date(at).toISOString(),
			});
		const reusing = async (period: string, at: number) => {
			const { rows } = await runAgainstStub(
				answering({ body: { results: [month('new', period)] } }, [made('old', period, at)]),
				invoices(period, period, { reuse: 'hours', reuseHours: 2000 }),
				{ timezone: 'UTC' },
			);
			return rows[0].queryId;
		};
		const past = monthOf(lastOfPast);
		expect([
			await reusing(past, lastOfPast.getTime()),
			await reusing(past, lastOfPast.getTime() + day + 1000),
			await reusing(monthOf(now), now.getTime() - 2 * day),
			await reusing(monthOf(now), now.getTime() - 500),
		]).toEqual(['new', 'old', 'new', 'old']);
	});
});
