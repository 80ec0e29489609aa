import type { IDataObject } from 'n8n-workflow';
import { askStranger, startStranger, type Answer, type Asked } from '../dialects/stranger';
import { runNode } from '../support/runNode';
import { createTaxProfile, curps, getCrf, operation, rfcs } from './support';

const [RFC, OTHER] = rfcs(2);
const [CURP, OTHER_CURP] = curps(2);
const MINUTE = 60_000;

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
	(post: Answer, rows: unknown = [], byId: unknown = record('q1', OTHER)) =>
	({ method, path }: Asked): Answer => {
		if (method === 'POST') return post;
		return { body: path === '/api/query' ? rows : byId };
	};
const waiting = { waitForResult: true, maxWait: 20 };
const often = { pollInterval: 0.05 };
const crf = getCrf({ rfc: RFC });
const waitingCrf = getCrf({ rfc: RFC, ...waiting }, often);
const csf = operation('taxAuthority', 'getCsf', { rfc: RFC, reuse: 'never' });
const jobs = operation('person', 'getEmploymentHistory', { curp: CURP, reuse: 'never' });
const curpData = operation('person', 'getCurpData', { curp: CURP });
const REFUSED = 'The service answered with another query than the one of this item';
const codes = ({ warnings }: IDataObject) =>
	((warnings ?? []) as IDataObject[]).map(({ code }) => code);
const posts = (asked: Asked[]) =>
	asked.filter(({ method, path }) => method === 'POST' && path.startsWith('/api/query')).length;

describe("somebody else's result", () => {
	const accepted = { body: { message: 'ok', queryId: 'q1' } };
	const person = (curp: string) =>
		record('q1', RFC, { service: 'CURP', query: { curp }, response: { curp, nombre: 'LUIS' } });

	it.each<[string, IDataObject, Answer, unknown]>([
		['comes at once', curpData, { body: person(OTHER_CURP) }, undefined],
		['is read by the ID that was answered', waitingCrf, accepted, record('q1', OTHER)],
		['is written otherwise', waitingCrf, accepted, record('q1', ` ${OTHER.toLowerCase()}`)],
		['is of a company', waitingCrf, accepted, record('q1', 'EKU9003173C9')],
		['is of another service', waitingCrf, accepted, record('q1', RFC, { service: 'CURP' })],
		['is still pending', crf, { body: record('q1', OTHER, { status: 'PENDING' }) }, undefined],
	])('is not given to an item: it %s', async (_how, parameters, post, byId) => {
		const { rows, error } = await askStranger(answering(post, [], byId), parameters as never);
		expect([rows, error?.message, error?.description]).toEqual([
			[],
			REFUSED,
			expect.stringContaining('query ID q1'),
		]);
	});

	const emma = { name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' };
	const calculation = operation('taxpayer', 'calculateRfc', { ...emma, birthDate: '1956-12-03' });
	const born = (query: object) =>
		record('q1', '', { service: 'RFC_CALCULATOR', query, response: { rfc: RFC } });
	it.each<[string, object, object?]>([
		['on another day', { ...emma, day: 4, month: 12, year: 1956 }],
		['in another month, as text', { ...emma, day: '03', month: '04', year: '1956' }],
		['in another year', { name: 'LUIS', day: 3, month: 12, year: 1980 }],
		['on another day by its own name', { dia: 4 }, { day: 'dia' }],
	])('is not given to an RFC that is calculated: born %s', async (_when, query, names = {}) => {
		const { rows, error } = await askStranger(answering({ body: born(query) }), calculation, {
			apiMapping: { fields: { calculateRfc: names } },
		});
		expect([rows, error?.message]).toEqual([[], REFUSED]);
	});

	it.each<[string, object]>([
		['as text', { ...emma, day: '03', month: '12', year: '1956' }],
		['with two digits of the year', { ...emma, day: 3, month: 12, year: 56 }],
		['by month name', { ...emma, day: 3, month: 'diciembre', year: 1956 }],
		['masked', { ...emma, day: '**', month: '**', year: '19**' }],
		['not at all', { ...emma }],
	])('is none of an RFC that is calculated where the birth is echoed %s', async (_how, query) => {
		const { rows } = await askStranger(answering({ body: born(query) }), calculation);
		expect(rows.map(({ rfc }) => rfc)).toEqual([RFC]);
	});

	it('fails those items alone whose query it is not, where one ID was answered to three', async () => {
		const { rows } = await askStranger(
			answering(accepted, [], record('q1', RFC)),
			getCrf(waiting, often),
			{ items: rfcs(3).map((rfc) => ({ rfc })), onError: 'continueRegularOutput' },
		);
		expect(rows.map(({ legalName, error }) => legalName ?? String(error).slice(0, 50))).toEqual([
			`OF ${RFC}`,
			REFUSED.slice(0, 50),
			REFUSED.slice(0, 50),
		]);
	});

	it.each<[string, unknown, string[]]>([
		['is masked', { rfc: 'GODE5001*****' }, ['notEchoed']],
		['lacks its homoclave', { rfc: RFC.slice(0, 10) }, ['notEchoed']],
		['has blanks and hyphens', { rfc: RFC.replace(/(.{4})(.{6})/, '$1-$2 ').toLowerCase() }, []],
		['is under another name', { taxId: RFC }, []],
		['is not there', { channel: 'api' }, ['notEchoed']],
	])('is none where the echo %s', async (_how, query, warnings) => {
		const answer = record('q1', RFC, { query });
		const { rows, error } = await askStranger(answering({ body: answer }), crf);
		expect([error?.message, rows.map((row) => [row.legalName, codes(row)])]).toEqual([
			undefined,
			[[`OF ${RFC}`, warnings]],
		]);
	});

	it.each<[string, object, object]>([
		['that nobody knows', {}, { service: 'REGIMEN' }],
		['that is only guessed to be another', {}, { service: 'CSF' }],
	])('is none where the record is of a service %s', async (_what, apiMapping, more) => {
		const { rows } = await askStranger(answering({ body: record('q1', RFC, more) }), crf, {
			apiMapping,
		});
		expect(rows.map(({ legalName }) => legalName)).toEqual([`OF ${RFC}`]);
	});

	it.each<[string, IDataObject, string, object]>([
		[
			'Shareholders',
			operation('company', 'getShareholders', { rfc: 'EKU9003173C9' }),
			'RFC',
			{ rfc: 'EKU9003173C9' },
		],
		['Employment History', jobs, 'CURP', { curp: CURP }],
		['CSF', csf, 'CRF', { rfc: RFC }],
	])(
		'is none where a service has documented words only: %s',
		async (_name, parameters, service, query) => {
			const own = record('q1', RFC, { service, query, response: { x: 1 } });
			const asking = { ...parameters, ...waiting, reuse: 'never', options: often };
			const { rows, error } = await askStranger(answering(accepted, [], own), asking as never);
			expect([error?.message, rows.map((row) => [row.queryId, row.x, codes(row)])]).toEqual([
				undefined,
				[['q1', 1, ['unknownService']]],
			]);
		},
	);

	it.each<[string, IDataObject, object, string]>([
		['somebody else', { query: { rfc: OTHER }, service: 'CRF' }, {}, 'is about somebody else, by'],
		['an unknown person', { query: {}, service: 'CRF' }, {}, 'is of another service (CRF), by'],
		[
			'another mapped service',
			{ service: 'CRF' },
			{ services: { getCsf: 'SITUACION' } },
			'is of another service (CRF), by',
		],
	])('is said to be what it is: of %s', async (_who, more, apiMapping, words) => {
		const parameters = { ...csf, ...waiting, options: often };
		const own = record('q1', RFC, more);
		const { rows, error } = await askStranger(answering(accepted, [], own), parameters as never, {
			apiMapping,
		});
		expect([rows, error?.message, error?.description]).toEqual([
			[],
			REFUSED,
			expect.stringContaining(words),
		]);
	});

	it('is told where only the result names somebody else, beside who was asked about', async () => {
		const corrected = person(CURP);
		(corrected.response as IDataObject).curp = OTHER_CURP;
		const { rows } = await askStranger(answering({ body: corrected }), curpData);
		const ofRfc = record('q1', RFC, { response: { RFC: OTHER, RazonSocial: 'X' } });
		const { rows: others } = await askStranger(answering({ body: ofRfc }), crf);
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

	it('is told where a result without a record names somebody else', async () => {
		const bare = { data: { curp: OTHER_CURP, nombre: 'LUIS', estatusCurp: 'AN' } };
		const { rows } = await askStranger(answering({ body: bare }), curpData);
		expect(rows.map((row) => [row.curp, row.askedCurp, codes(row)])).toEqual([
			[OTHER_CURP, CURP, ['otherIdentifier']],
		]);
	});

	it('stays out where the whole list is answered to one query', async () => {
		const at = (ms: number) => ({ createdAt: new Date(Date.now() - ms).toISOString() });
		const body = [
			record('old', OTHER, at(9 * MINUTE)),
			record('older', RFC, at(5 * MINUTE)),
			record('new', RFC, at(0)),
			record('later', OTHER, at(0)),
		];
		const { rows, hints } = await askStranger(answering({ body }), crf);
		expect([rows.map(({ queryId }) => queryId), hints]).toEqual([
			['new'],
			[expect.objectContaining({ message: '1 query sent.' })],
		]);
	});
});

describe('a query that was accepted under an ID with a name that is not known', () => {
	const listed = (service: string, query: object) =>
		record('abc', RFC, { service, query, response: { regimen: 'x' } });
	const acknowledgements: Array<[string, IDataObject]> = [
		['query_id', { message: 'Consulta recibida', query_id: 'abc' }],
		['queryID', { queryID: 'abc', status: 'PENDING' }],
		['requestId', { message: 'En proceso', data: { requestId: 'abc', status: 'PENDING' } }],
		['ticket', { status: 'PENDING', message: 'ok', ticket: 88 }],
		['uuid', { uuid: 'abc', status: 'PENDING' }],
		['folio', { folio: 'abc', estatus: 'PENDIENTE' }],
	];
	const kinds: Array<[string, IDataObject, string, object]> = [
		['CSF', csf, 'CSF', { rfc: RFC }],
		['CRF', crf, 'CRF', { rfc: RFC }],
		['employment history', jobs, 'JOB_HISTORY', { curp: CURP }],
	];

	it.each(
		kinds.flatMap(([what, parameters, service, query]) =>
			acknowledgements.map(
				([name, body]) => [what, name, { parameters, service, query, body }] as const,
			),
		),
	)('%s, %s: its result is waited for, and its ID kept', async (_what, _name, one) => {
		const found = listed(one.service, one.query);
		const memory = {};
		const { rows, asked } = await askStranger(
			answering({ status: 202, body: one.body }, [found], found),
			{ ...one.parameters, ...waiting, options: often } as never,
			{ memory },
		);
		expect([rows, posts(asked), JSON.stringify(memory).includes('"abc"')]).toEqual([
			[expect.objectContaining({ queryId: 'abc', status: 'SUCCESS' })],
			1,
			true,
		]);
	});

	it('is pending, with a warning, where the list does not show it', async () => {
		const [, body] = acknowledgements[4];
		const { rows } = await askStranger(answering({ status: 202, body }), {
			...jobs,
			simplify: false,
		});
		expect(rows.map((row) => [row.uuid, row.pending, codes(row)])).toEqual([
			['abc', true, ['noId']],
		]);
	});

	it('is found by a further try of the execution, where the list shows it late', async () => {
		const found = listed('JOB_HISTORY', { curp: CURP });
		let refusals = 0;
		const { rows, asked } = await askStranger(
			({ method, path, body }) => {
				if (method === 'GET' && path !== '/api/query') return { body: found };
				if (method === 'GET') return { body: refusals < 2 ? [] : [found] };
				if (body.includes(CURP)) return { status: 202, body: { uuid: 'abc', status: 'PENDING' } };
				return refusals++ === 0 ? { status: 400, body: {} } : { body: { queryId: 'q2' } };
			},
			{ ...jobs, curp: '={{ $json.curp }}' },
			{ items: [{ curp: CURP }, { curp: OTHER_CURP }], maxTries: 2 },
		);
		expect([rows.map(({ queryId, recovered }) => [queryId, recovered]), posts(asked)]).toEqual([
			[
				['abc', true],
				['q2', undefined],
			],
			3,
		]);
	});

	describe.each([false, true])('and that no list shows, with Send Again %s', (sendAgain) => {
		const words: Array<[IDataObject]> = [
			[{ message: 'accepted', requestId: 'r-1' }],
			[{ message: 'Solicitud aceptada', status: 'PENDING' }],
		];
		const parameters = { ...csf, rfc: '={{ $json.rfc }}', options: { sendAgain } };

		it.each(words)('is sent once through all tries, and pending: %j', async (word) => {
			let refusals = 0;
			const { rows, error, asked } = await askStranger(
				({ method, body }) => {
					if (method === 'GET') return { body: [] };
					if (body.includes(RFC)) return { body: word };
					return refusals++ === 0 ? { status: 404, body: {} } : { body: { queryId: 'q2' } };
				},
				parameters,
				{ items: [{ rfc: RFC }, { rfc: OTHER }], maxTries: 2 },
			);
			expect([
				error?.description,
				rows.map((row) => [row.rfc, row.pending, codes(row)]),
				asked.filter(({ method, body }) => method === 'POST' && body.includes(RFC)).length,
			]).toEqual([
				undefined,
				[
					[RFC, true, ['noId']],
					[OTHER, true, []],
				],
				1,
			]);
			expect(rows[0]).toMatchObject(word);
		});

		it('is so with another token, too, after which nobody here remembers the word', async () => {
			const service = await startStranger(answering({ body: words[0][0] }));
			const memory = {};
			const retry = async (pastedToken: string) => {
				const taxQueryApi = { baseUrl: `${service.url}/api`, grant: 'accessToken', pastedToken };
				const credentials = { taxQueryApi };
				const items = [{ rfc: RFC }];
				return await runNode({ type: 'taxQuery', parameters, credentials, items, memory });
			};
			await retry('token-a');
			const { items } = await retry('token-b');
			await service.close();
			expect([items.map(({ json }) => [json.pending, codes(json)]), posts(service.asked)]).toEqual([
				[[true, ['noId']]],
				1,
			]);
		});
	});

	it.each<[string, IDataObject, string[]]>([
		['short', { rfc: RFC, regimen: '601', situacion: 'ACTIVO' }, ['noId']],
		['with a document', { rfc: RFC, message: 'ok', pdf: 'JVBERi0xLjcK'.repeat(50) }, []],
		['with a list', { rfc: RFC, regimenes: [{ clave: '601' }] }, []],
	])('is no result that has no ID: %s', async (_what, body, warnings) => {
		const { rows, error } = await askStranger(answering({ body }), csf);
		expect([error?.message, rows.map((row) => [row.pending, codes(row)])]).toEqual([
			undefined,
			[[undefined, warnings]],
		]);
		expect(rows[0]).toMatchObject(body);
	});
});

describe('a refusal', () => {
	const refused = async (status: number, body: unknown, parameters = csf) => {
		const { error } = await askStranger(answering({ status, body }), parameters);
		return [error?.message, error?.description] as const;
	};
	const NO_PROFILE = 'There is no tax profile for the RFC of this item';

	it.each<[number, string]>([
		[402, 'Saldo insuficiente en su perfil de facturación'],
		[403, 'This API profile may not query invoices'],
		[403, 'Your API profile does not allow invoices'],
		[403, 'No tiene permiso en su perfil'],
		[401, 'profile of token expired'],
		[400, 'profileId must be an integer'],
		[409, 'Ya existe una consulta igual en proceso'],
		[412, 'If-Match is needed'],
		[409, 'The tax profile is still being validated, try again in a few minutes'],
		[403, 'The tax profile of this RFC is blocked for 24 hours'],
		[422, 'The CIEC of the tax profile is wrong'],
		[422, 'No coincide la CIEC con el perfil fiscal'],
		[400, 'Tax profile found, but the period must be YYYY-MM'],
		[409, 'El perfil fiscal ya existe'],
		[422, 'The tax profile expired'],
		[422, 'No se pudo validar el perfil fiscal'],
		[409, 'A tax profile exists; create no other'],
	])('%i "%s" is about no missing tax profile', async (status, message) => {
		const [said, description] = await refused(status, { message });
		expect([said === NO_PROFILE, description]).toEqual([
			false,
			expect.stringContaining(`The service says: "${message}"`),
		]);
	});

	it.each<[number, unknown]>([
		[400, { message: 'Tax profile required' }],
		[403, { mensaje: 'El RFC no cuenta con perfil' }],
		[404, { error: { message: 'profile not found' } }],
		[409, {}],
		[409, { error: 'Conflict' }],
		[412, { message: 'El perfil del contribuyente no existe' }],
		[404, { message: 'No tax profile exists for this RFC' }],
		[422, { code: 'TAX_PROFILE_NOT_FOUND' }],
		[422, { message: 'Validation failed', errors: ['a tax profile is required'] }],
		[409, { message: 'El perfil fiscal aún no está registrado' }],
		[400, { message: 'RFC sin perfil fiscal, cree uno' }],
		[422, { errors: { rfc: ['Falta crear el perfil fiscal'] } }],
	])('%i %j is about a missing tax profile', async (status, body) => {
		expect((await refused(status, body))[0]).toBe(NO_PROFILE);
	});

	it('may be about one where the service does not say so', async () => {
		const [, description] = await refused(422, { message: 'The tax profile expired' });
		expect(description).toContain('If it has no tax profile yet, run Tax Authority');
	});

	it.each([csf, crf, jobs])('tells the query that it names', async (parameters) => {
		const [message, description] = await refused(
			409,
			{ message: 'Ya existe una consulta igual en proceso', data: { queryId: 'q9' } },
			parameters,
		);
		expect([message, description]).toEqual([
			'The Tax Query Service answered with status 409',
			expect.stringContaining(
				'It names the query "q9". Read that with Query → Get before you ask again.',
			),
		]);
	});

	it.each<[number, unknown, string]>([
		[402, { mensaje: 'Saldo insuficiente' }, 'Saldo insuficiente'],
		[422, { errors: { rfc: ['El RFC no es válido'] } }, 'rfc: El RFC no es válido'],
		[
			422,
			{ message: 'Validation failed', errors: [{ field: 'taxId', message: 'is required' }] },
			'Validation failed: taxId: is required',
		],
	])('%i is told in the words of the service: %j', async (status, body, words) => {
		expect((await refused(status, body, crf))[1]).toContain(`The service says: "${words}"`);
	});
});

describe('good words where services put their errors', () => {
	it.each<[IDataObject, IDataObject, unknown]>([
		[
			curpData,
			{ curp: CURP, nombre: 'EMMA', errorCode: 'SUCCESS', errorMessage: 'Success' },
			'EMMA',
		],
		[curpData, { data: { nombre: 'EMMA' }, errorMessage: 'Operación exitosa' }, 'EMMA'],
		[csf, { message: 'ok', id: 'q1', errorMessage: 'Success' }, 'q1'],
		[csf, { data: { id: 'q1' }, errorMessage: 'Sin error', errorCode: 'NONE' }, 'q1'],
		[csf, { id: 'q1', status: 'PENDING', error: 'no error' }, 'q1'],
	])('are no failure: %# %j', async (parameters, body, expected) => {
		const { rows, error, asked } = await askStranger(answering({ body }), {
			...parameters,
			reuse: 'never',
			options: { sendAgain: true },
		} as never);
		expect([error?.message, rows.map((row) => row.nombre ?? row.queryId), posts(asked)]).toEqual([
			undefined,
			[expected],
			1,
		]);
	});
});

describe('a failure that is told with status 200 in Spanish', () => {
	it.each<[unknown, string]>([
		[{ exito: false, mensaje: 'El RFC no existe' }, 'El RFC no existe'],
		[{ codigo: 500, mensaje: 'Sin servicio' }, 'Sin servicio'],
		[{ errores: [{ campo: 'rfc', mensaje: 'no existe' }] }, 'rfc: no existe'],
		[{ errorCode: 'E7', errorMessage: 'No such RFC' }, 'No such RFC'],
		[{ result: 'ERROR', detail: 'No such RFC' }, 'No such RFC'],
	])('%j is no result', async (body, words) => {
		for (const parameters of [csf, crf, jobs]) {
			const { rows, error } = await askStranger(answering({ body }), parameters);
			expect([rows, error?.description]).toEqual([
				[],
				expect.stringContaining(`The service says: "${words}"`),
			]);
		}
	});
});

describe('a tax profile whose creation is answered without a record', () => {
	it.each<[string, Answer]>([
		['204', { status: 204, type: '' }],
		['201 without a body', { status: 201 }],
		['success', { body: { success: true } }],
		['a status', { status: 201, body: { status: 'CREATED' } }],
		['words in Spanish', { status: 201, body: { mensaje: 'Perfil creado' } }],
	])('is taken as created, unconfirmed: %s', async (_how, post) => {
		const { rows, error, asked } = await askStranger(answering(post), createTaxProfile(RFC));
		expect([error?.message, rows.map((row) => [row.rfc, row.pending, codes(row)])]).toEqual([
			undefined,
			[[RFC, undefined, ['unconfirmed']]],
		]);
		expect(posts(asked)).toBe(1);
	});

	it.each<[string, Answer]>([
		['a failure', { body: { success: false } }],
		['a failure in Spanish', { body: { exito: false, mensaje: 'CIEC incorrecta' } }],
		['a status', { body: { status: 'RECHAZADO' } }],
		['a page', { type: 'text/html', body: '<html>' }],
	])('is not: %s', async (_how, post) => {
		const { rows, error } = await askStranger(answering(post), createTaxProfile(RFC));
		expect([rows, error?.message]).toEqual([[], expect.stringContaining('may have been accepted')]);
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
		const { rows } = await askStranger(
			answering({ body: { results } }),
			invoices('2026-01', '2026-02'),
		);
		expect(rows.map(({ status, pending, failed }) => [status, pending, failed])).toEqual([
			['PENDING', true, undefined],
			['FAILED', undefined, true],
		]);
	});

	it.each<[string, object[], string | undefined]>([
		[
			'another month',
			[month('x1', '2026-01'), month('x2', '2025-02')],
			'Not there: 2026-02. There twice, or not asked for: 2025-02.',
		],
		[
			'one twice',
			[month('x1', '2026-01'), month('x2', '2026-01')],
			'Not there: 2026-02. There twice, or not asked for: 2026-01.',
		],
		[
			'one more',
			[month('x1', '2026-01'), month('x2', '2026-02'), month('x3', '2026-03')],
			'There twice, or not asked for: 2026-03.',
		],
		['their order', [month('x2', '2026-02'), month('x1', '202601')], undefined],
		['no months', [{ queryId: 'x1' }, { queryId: 'x2' }], undefined],
	])('are compared with those that were asked for: %s', async (_what, results, warning) => {
		const { rows } = await askStranger(
			answering({ body: { results } }),
			invoices('2026-01', '2026-02'),
		);
		const [told] = (rows[0].warnings ?? []) as IDataObject[];
		expect(told?.message).toEqual(warning && expect.stringContaining(warning));
	});

	it('are given but for one that is of somebody else, whose query ID is told', async () => {
		const months = ['2026-01', '2026-02', '2026-03'];
		const results = months.map((period, at) => month(`m${at}`, period));
		const ended = (at: number) =>
			record(`m${at}`, RFC, {
				service: 'INVOICE',
				query: { rfc: at === 1 ? OTHER : RFC, period: months[at] },
				response: { n: at },
			});
		const { rows, error } = await askStranger(
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
			expect.objectContaining({ message: expect.stringContaining('query ID m1, is about') }),
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
			const { rows } = await askStranger(
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
