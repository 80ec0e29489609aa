import type { IDataObject } from 'n8n-workflow';
import type { SandboxOptions } from '../../../sandbox';
import { type StubRequest, type StubResponse, runAgainstStub } from '../../support/stubServer';
import { namesOfChecksNeedingChange, proposedMappingIn } from '../../support/diagnoseRows';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { crfRecord } from './crfResponses';
import { type TaxQuerySandbox, curps, operationParameters, rfcs, taxQuerySandbox } from './support';

const diagnose = operationParameters('connection', 'diagnose');
const [RFC] = rfcs(1);
const [CURP] = curps(1);

/** Three environments: as documented, with words of its own, and with paging of its own. */
const words = {
	services: {
		calculateRfc: 'CALCULO',
		getCrf: 'CONSTANCIA',
		getCurpData: 'PERSONA',
		getRfcData: 'CONTRIBUYENTE',
	},
	fields: { getCrf: { rfc: 'clave' } },
};

const dialects: Array<[string, Partial<SandboxOptions>, suggested: IDataObject]> = [
	['as the document has it', {}, { list: { limit: 'limit', offset: 'offset' } }],
	[
		'with words and shapes of its own',
		{
			mapping: { taxQuery: words },
			statusWords: { success: 'LISTO', pending: 'ESPERA', failed: 'SIN_DATOS' },
			queryList: 'page',
			listShape: { rows: 'consultas', total: 'totalCount' },
			recordEnvelope: 'consulta',
		},
		{ ...words, statuses: { success: ['LISTO'], pending: ['ESPERA'], failed: ['SIN_DATOS'] } },
	],
	[
		'with paging of its own',
		{
			mapping: { taxQuery: { list: { limit: 'pageSize', offset: 'skip' } } },
			queryList: 'page',
			pastQueries: 150,
		},
		{ list: { limit: 'pageSize', offset: 'skip', pageSize: 100 } },
	],
];

describe.each(dialects)('Connection → Diagnose at a service %s', (_what, options, suggested) => {
	let sandbox: TaxQuerySandbox;
	let rows: IDataObject[];
	let people: string[];
	beforeAll(async () => {
		sandbox = await taxQuerySandbox(options);
		const service = await sandbox.elsewhere();
		const name = options.mapping?.taxQuery?.fields?.getCrf?.rfc ?? 'rfc';
		const [pending, failed] = [sandbox.reserved('pending'), sandbox.reserved('failed')];
		people = [RFC, CURP, pending.rfc, failed.rfc, 'Gómez'];
		for (const rfc of [RFC, pending.rfc, failed.rfc]) {
			await service.post('/query/crf', { [name]: rfc });
		}
		await service.post('/query/rfc-data', { rfc: RFC });
		await service.post('/query/curp-data', { curp: CURP });
		const born = { day: 31, month: 12, year: 1956 };
		await service.post('/query/rfc-calculator', { name: 'Emma', firstLastName: 'Gómez', ...born });
		await sandbox.reset();
		const { items, error } = await sandbox.run(diagnose);
		expect(error).toBeUndefined();
		rows = items.map(({ json }) => json);
	});
	afterAll(async () => await sandbox.close());

	it('proposes the served mapping, as far as reads can show', () => {
		expect(proposedMappingIn(rows)).toEqual(suggested);
	});

	it('gives summary, checks and proposal in equal columns, each filled', () => {
		expect(rows.map((row) => Object.keys(row).join())).toEqual(
			rows.map(() => 'check,result,seen,advice'),
		);
		const words = rows.flatMap((row) => Object.values(row));
		expect(words.filter((word) => typeof word !== 'string' || word === '')).toEqual([]);
		expect([...new Set(rows.map(({ result }) => result))].sort()).toEqual(
			expect.arrayContaining(['Not known', 'OK']),
		);
		const isFine =
			namesOfChecksNeedingChange(rows).length === 0 && Object.keys(suggested).length === 0;
		expect([rows[0].check, rows[0].result]).toEqual(['Summary', isFine ? 'OK' : 'Change needed']);
		expect(rows.map(({ check }) => check)).toEqual(
			expect.arrayContaining([
				'Address, token and list of queries',
				'TLS',
				'Token lifetime',
				'Clock',
				'Rate limit',
				'Paging of the list',
				'One query by its ID',
				'Query types and statuses of past queries',
			]),
		);
	});

	it('says what is not as documented, and only that', () => {
		const expected = [
			...('pastQueries' in options ? ['Paging of the list'] : []), // few are no proof
			...('services' in suggested ? ['Query types and statuses of past queries'] : []),
		];
		expect(namesOfChecksNeedingChange(rows)).toEqual(expected);
	});

	it('pays for nothing, and sends nothing but reads and the token request', async () => {
		const sent = (await sandbox.requests()).filter(({ path }) => !path.endsWith('/oauth/token'));
		expect([await sandbox.ledger(), [...new Set(sent.map(({ method }) => method))]]).toEqual([
			[],
			['GET'],
		]);
	});

	it('names nobody', () => {
		for (const person of people) expect(JSON.stringify(rows)).not.toContain(person);
	});

	it('proposes a mapping that makes the next diagnosis whole', async () => {
		const apiMapping = JSON.stringify(suggested);
		const { items } = await sandbox.run(diagnose, {
			credentials: sandbox.credentials({ taxQueryApi: { apiMapping, pointsPerSecond: 0 } }),
		});
		const next = items.map(({ json }) => json);
		expect([namesOfChecksNeedingChange(next), proposedMappingIn(next), next[0].result]).toEqual([
			[],
			suggested,
			'OK',
		]);
	});
});

describe('Connection → Diagnose', () => {
	it('runs once, however many items come in', async () => {
		const sandbox = await taxQuerySandbox();
		const { items, hints } = await sandbox.run(diagnose, { items: [{}, {}, {}] });
		await sandbox.close();
		expect(items.filter(({ json }) => json.check === 'Summary')).toHaveLength(1);
		expect(hints.map(({ message }) => message)).toEqual([items[0].json.advice]);
	});

	it('concludes nothing where nothing was answered', async () => {
		const sandbox = await taxQuerySandbox();
		const taxQueryApi = { clientSecret: 'wrong_secret_2' };
		const { items } = await sandbox.run(diagnose, {
			credentials: sandbox.credentials({ taxQueryApi }),
		});
		await sandbox.close();
		const results = Object.fromEntries(items.map(({ json }) => [json.check, json.result]));
		expect(results).toMatchObject({
			...{ 'Token lifetime': 'Not known', Clock: 'Not known', 'Rate limit': 'Not known' },
		});
	});

	it('names the first step if nothing responds, and accepts no certificate', async () => {
		const taxQueryApi = {
			grant: 'accessToken',
			pastedToken: 't',
			baseUrl: 'https://127.0.0.1:1/api',
		};
		const { items, hints } = await runNodeInEngine({
			type: 'taxQuery',
			parameters: diagnose,
			credentials: { taxQueryApi },
		});
		const tls = items.find(({ json }) => json.check === 'TLS');
		expect([items[0].json.result, items[1].json.result, tls?.json.result]).toEqual([
			'Change needed',
			'Change needed',
			'Not known',
		]);
		expect(hints.map(({ message }) => message)).toContain(items[0].json.advice);
	});

	it('repeats nothing that the service says when it fails', async () => {
		const { rows } = await runAgainstStub(
			() => ({ status: 403, body: { message: 'La cuenta de EMMA GOMEZ fue suspendida' } }),
			diagnose,
		);
		expect(JSON.stringify(rows)).not.toMatch(/EMMA|suspendida/);
	});

	it('hides a text about a person in the place of a status', async () => {
		const status = 'No localizado: Juan Pérez López, llamar al 5512345678';
		const statuses = [status, 'EN ESPERA', '55 tel 5512345678'];
		const body = statuses.map((status, at) => ({
			_id: `q${at}`,
			service: 'CRF',
			status,
			query: {},
			response: {},
		}));
		const { rows } = await runAgainstStub(
			({ path }) => ({ body: path === '/api/query' ? body : body[0] }),
			diagnose,
		);
		const text = JSON.stringify(rows);
		expect([
			text.includes('Juan'),
			text.includes('5512345678'),
			text.includes('EN ESPERA'),
		]).toEqual([false, false, true]);
		expect(text).toContain(` ${status.length} `);
	});

	it('shows and proposes no status that holds an identifier', async () => {
		const row = crfRecord('a', RFC, { status: `LISTO ${RFC}` });
		const { rows } = await runAgainstStub(
			({ path }) => ({ body: path === '/api/query' ? [row] : row }),
			diagnose,
		);
		expect(JSON.stringify(rows)).not.toContain(RFC);
		expect(proposedMappingIn(rows)).toEqual({});
	});

	it('reports the lifetime of an opaque token', async () => {
		const { rows } = await runAgainstStub(() => ({ body: [] }), diagnose, {
			token: { access_token: 'opaque', expires_in: '600' },
		});
		expect(rows.find(({ check }) => check === 'Token lifetime')).toMatchObject({
			result: 'OK',
			seen: expect.stringContaining(' 570 s'),
		});
	});

	it('reports a wrong secret and a missing service as items', async () => {
		const sandbox = await taxQuerySandbox();
		const of = async (taxQueryApi: object) =>
			(
				await sandbox.run(diagnose, { credentials: sandbox.credentials({ taxQueryApi }) })
			).items.map(({ json }) => json);
		const refused = await of({ clientSecret: 'wrong_secret_1' });
		const elsewhere = await of({ baseUrl: sandbox.taxQuery.baseUrl.replace('/api', '/app/api') });
		await sandbox.close();
		expect([
			namesOfChecksNeedingChange(refused)[0],
			namesOfChecksNeedingChange(elsewhere)[0],
		]).toEqual([refused[1].check, elsewhere[1].check]);
		expect([refused[1].seen, elsewhere[1].seen].join()).toMatch(/token|refused|service/i);
		expect([proposedMappingIn(refused), proposedMappingIn(elsewhere)]).toEqual([{}, {}]);
	});

	it('names paths.getAll where the list has another path, and proposes nothing', async () => {
		const { rows } = await runAgainstStub(() => ({ status: 404, body: {} }), diagnose);
		const [summary, list] = rows;
		const proposal = rows.at(-1);
		expect([list.result, list.advice]).toEqual([
			'Change needed',
			expect.stringContaining('paths.getAll'),
		]);
		expect(list.advice).not.toContain('queryId');
		expect(summary.seen).toContain(String(list.check));
		expect([proposal?.result, proposal?.advice]).toEqual([
			'Not known',
			expect.stringContaining(String(list.check)),
		]);
	});

	it('lists each row that needs a change in its summary', async () => {
		const list = [{ _id: 'q1', service: 'CRF', status: 'LISTO', query: {}, response: { a: 1 } }];
		const { rows } = await runAgainstStub(
			({ path }) => (path === '/api/query' ? { body: list } : { status: 404, body: {} }),
			diagnose,
		);
		const changes = rows.slice(1).filter(({ result }) => result === 'Change needed');
		expect(changes.length).toBeGreaterThan(1);
		for (const { check } of changes) expect(rows[0].seen).toContain(String(check));
		expect(rows[0].advice).toContain('One query by its ID');
	});
});

describe('pages of the list', () => {
	const [RFC] = rfcs(1);
	const all = Array.from({ length: 25 }, (_, index) => crfRecord(`d${index}`, RFC));

	/** Diagnoses a service that lists so; each query is there by its ID. */
	async function diagnose(
		list: (query: URLSearchParams) => StubResponse,
		apiMapping: object = {},
		byId: (request: StubRequest) => StubResponse = ({ path }) => ({
			body: crfRecord(String(path.split('/').at(-1)), RFC),
		}),
	) {
		const { rows } = await runAgainstStub(
			(request) => (request.path === '/api/query' ? list(request.query) : byId(request)),
			operationParameters('connection', 'diagnose'),
			{ apiMapping },
		);
		const paging = rows.find(({ check }) => check === 'Paging of the list') as IDataObject;
		return { paging, suggested: proposedMappingIn(rows) };
	}

	const page = (from: number, size: number) => all.slice(from, from + size);

	describe('Connection → Diagnose', () => {
		it('finds the paging parameters of a list that is truncated silently', async () => {
			const { paging, suggested } = await diagnose((query) => {
				const size = Math.min(Number(query.get('take') ?? 10), 10);
				return { body: page(Number(query.get('skip') ?? 0), size) };
			});
			expect(paging).toMatchObject({
				result: 'Change needed',
				seen: expect.stringMatching(/ 10 .* 25 /),
			});
			expect(suggested).toEqual({ list: { limit: 'take', offset: 'skip', pageSize: 10 } });
		});

		it('proposes a page size that was served where larger pages are refused', async () => {
			const { suggested } = await diagnose((query) => {
				const size = Number(query.get('take') ?? 5);
				if (size > 5) return { status: 400, body: { message: 'take is at most 5' } };
				return {
					body: all
						.slice(0, 5)
						.slice(Number(query.get('skip') ?? 0))
						.slice(0, size),
				};
			});
			expect(suggested).toEqual({ list: { limit: 'take', offset: 'skip', pageSize: 5 } });
		});

		it('proposes no page size where all queries come at once', async () => {
			const { suggested } = await diagnose((query) => {
				const from = Number(query.get('skip') ?? 0);
				return { body: all.slice(from, from + Number(query.get('take') ?? 100)) };
			});
			expect(suggested).toEqual({ list: { limit: 'take', offset: 'skip' } });
		});

		it('cannot know the paging of a list that takes no parameters', async () => {
			const { paging } = await diagnose(() => ({ body: all }));
			expect(paging.result).toBe('Not known');
		});

		it('proposes nothing for a short list that refuses every parameter', async () => {
			const refused = { status: 400, body: { message: 'unknown parameter' } };
			const whole = { body: { consultas: page(0, 2) } };
			const { paging, suggested } = await diagnose(
				(query) => ([...query].length > 0 ? refused : whole),
				{},
				({ query }) => ([...query].length > 0 ? refused : { body: all[0] }),
			);
			expect(paging.result).toBe('Not known');
			expect(suggested).toEqual({});
		});
	});

	describe('Connection → Diagnose of pages counted from 0', () => {
		const pages = (isReported: boolean) => (query: URLSearchParams) => {
			const size = Math.min(Number(query.get('size') ?? 10), 10);
			const content = page(Number(query.get('page') ?? 0) * size, size);
			return { body: isReported ? { content, totalElements: all.length } : content };
		};
		const list = { limit: 'size', page: 'page', pageSize: 10 };
		const proposal = { list: { ...list, firstPage: 0 } };

		it.each([true, false])('proposes them (total reported: %s)', async (isReported) => {
			const { paging, suggested } = await diagnose(pages(isReported));
			expect({ result: paging.result, suggested }).toEqual({
				...{ result: 'Change needed', suggested: proposal },
			});
		});

		it.each([true, false])(
			'finds that the API Mapping skips the newest page (total reported: %s)',
			async (isReported) => {
				const { paging, suggested } = await diagnose(pages(isReported), { list });
				expect({ result: paging.result, suggested }).toEqual({
					...{ result: 'Change needed', suggested: proposal },
				});
			},
		);

		it('finds nothing to do once the API Mapping has firstPage 0', async () => {
			const { paging } = await diagnose(pages(false), proposal);
			expect(paging.result).toBe('OK');
		});
	});
});
