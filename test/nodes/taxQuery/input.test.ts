import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { codeOf } from '../../support/errorCode';
import {
	CIEC,
	createTaxProfileParameters,
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { freshSandboxForEachTest, sandboxForTestGroup } from '../../support/sharedSandbox';
import type { NodeRun } from '../../support/runNodeInEngine';

const [RFC] = rfcs(1);
const PERSON = { name: 'Emma', firstLastName: 'Gómez' };

const born = (birthDate: unknown) =>
	operationParameters('taxpayer', 'calculateRfc', { ...PERSON, birthDate } as INodeParameters);

const bornAs = (birthDay: number, birthMonth: number, birthYear: number) =>
	operationParameters('taxpayer', 'calculateRfc', {
		...PERSON,
		birthDateAs: 'parts',
		birthDay,
		birthMonth,
		birthYear,
	});

const invoices = (parameters: INodeParameters) =>
	operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...parameters });

const crf = (rfc: unknown, options = {}) => getCrfParameters({ rfc } as INodeParameters, options);
const curp = (value: string) => operationParameters('person', 'getCurpData', { curp: value });
const nextYear = String(new Date().getFullYear() + 1);

describe('an item with a mistake in it', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);

	type Refusal = [code: string, field?: string];
	const mistakes: Array<[what: string, parameters: INodeParameters, expected: Refusal]> = [
		['an RFC with an impossible date', crf('GODE561331GR8'), ['identifier.DATE', 'RFC']],
		['an RFC that is too short', crf('GODE5612'), ['identifier.FORMAT', 'RFC']],
		['an RFC without homoclave', crf('GODE561231'), ['identifier.HOMOCLAVE', 'RFC']],
		...['XAXX010101000', 'EXT990101NI4', 'ext-990101-NI9'].map(
			(rfc): [string, INodeParameters, Refusal] => [
				`a generic RFC, ${rfc}`,
				crf(rfc),
				['identifier.GENERIC', 'RFC'],
			],
		),
		['no RFC', crf(' '), ['field.empty', 'RFC']],
		['an object as RFC', crf('={{ {a: 1} }}'), ['field.empty', 'RFC']],
		[
			"a person's RFC for shareholders",
			operationParameters('company', 'getShareholders', { rfc: RFC }),
			['identifier.PERSON', 'RFC'],
		],
		['a CURP with a wrong digit', curp('PEXL990821HSRRXS04'), ['identifier.DIGIT', 'CURP']],
		['a CURP of no state', curp('PEXL990821HZZRXS05'), ['identifier.STATE', 'CURP']],
		...[
			...[
				'undefined',
				'null',
				'NaN',
				'123',
				'-',
				'N/A',
				'#N/A',
				'#REF!',
				'<b>Emma</b>',
				'{{ name }}',
			],
			...['Emma\nLucía', 'Emma 😀', '[object Object]', '={{ 12345 }}'],
		].map((name): (typeof mistakes)[number] => [
			`${JSON.stringify(name)} as a name`,
			{ ...born('1990-01-31'), firstLastName: name },
			['field.name', 'First Last Name'],
		]),
		...['Mu\ufffdoz', 'MuÃ±oz', 'GarcÃ\u00ada', 'MuÃƒÂ±oz', 'Gómez\u0000'].map(
			(name): (typeof mistakes)[number] => [
				`the damaged name ${JSON.stringify(name)}`,
				{ ...born('1990-01-31'), firstLastName: name },
				['field.damaged', 'First Last Name'],
			],
		),
		...['Mu?oz', '12 A', 'a@b.mx', 'Мuñoz', 'Ｇómez', 'Mu&ntilde;oz', 'XXX', 'ninguno'].map(
			(name): (typeof mistakes)[number] => [
				`${JSON.stringify(name)} as a first surname`,
				{ ...born('1990-01-31'), firstLastName: name },
				['field.name', 'First Last Name'],
			],
		),
		...['X', 'NA', 'S/N', 'ninguno', 'no aplica', 'N.A.', 'sin segundo apellido', '.'].map(
			(name): (typeof mistakes)[number] => [
				`${JSON.stringify(name)} as a second surname`,
				{ ...born('1990-01-31'), secondLastName: name },
				['field.name', 'Second Last Name'],
			],
		),
		...[
			'1956-12-31T05:30:00.000Z',
			'1957-01-01T03:00:00.000Z',
			'1956-12-31T23:30:00+14:00',
			'={{ DateTime.fromISO("1956-12-31T05:30:00") }}',
			'={{ new Date("1957-01-01T03:00:00Z") }}',
		].map((birthDate): (typeof mistakes)[number] => [
			`the instant ${birthDate} as birth date`,
			born(birthDate),
			['field.instant', 'Birth Date'],
		]),
		[
			'a dash as second last name',
			{ ...born('1990-01-31'), secondLastName: '-' },
			['field.name', 'Second Last Name'],
		],
		['31 February', born('1990-02-31'), ['field.date', 'Birth Date']],
		['31 February in parts', bornAs(31, 2, 1990), ['field.date', 'Day, Month and Year']],
		['a birth date in the future', born(`${nextYear}-01-01`), ['field.future', 'Birth Date']],
		['a year as birth date', born('1990'), ['field.serial', 'Birth Date']],
		['two digits as birth date', born('10'), ['field.serial', 'Birth Date']],
		["Excel's serial number", born('={{ 20820 }}'), ['field.serial', 'Birth Date']],
		["Excel's serial number as text", born('20820.5'), ['field.serial', 'Birth Date']],
		['a week as birth date', born('1990-W05-1'), ['field.date', 'Birth Date']],
		['no birth date', born('={{ "" }}'), ['field.date', 'Birth Date']],
		['a birth date of nobody alive', born('1890-01-01'), ['field.past', 'Birth Date']],
		['a year of two digits', bornAs(31, 1, 90), ['field.past', 'Day, Month and Year']],
		[
			'no day, month and year',
			operationParameters('taxpayer', 'calculateRfc', { ...PERSON, birthDateAs: 'parts' }),
			['field.number', 'Day'],
		],
		['half a day', bornAs(1.5, 1, 1990), ['field.date', 'Day, Month and Year']],
		[
			'a letter O that makes the birth year one to come',
			curp('PEXL850821HSRRXSO1'),
			['identifier.FUTURE', 'CURP'],
		],
		['a letter O in the date of an RFC', crf('GODE56O231GR8'), ['identifier.FORMAT', 'RFC']],
		[
			'a digit 1 for the state of a CURP',
			curp('PEXL990821H5RRXS05'),
			['identifier.FORMAT', 'CURP'],
		],
		['a birth date that is none', born('yesterday'), ['field.date', 'Birth Date']],
		['no name', { ...born('1990-01-01'), name: '={{ "" }}' }, ['field.empty', 'Given Names']],
		[
			'a period in the future',
			invoices({ period: 'month', month: `${nextYear}-01` }),
			['field.future', 'Month'],
		],
		[
			'a period that runs backwards',
			invoices({ period: 'months', firstMonth: '2026-02', lastMonth: '2026-01' }),
			['period.backwards'],
		],
		[
			'days that run backwards',
			invoices({ period: 'dates', firstDay: '2026-01-15', lastDay: '2026-01-14' }),
			['period.backwards'],
		],
		['a 13th month', invoices({ period: 'month', month: '2026-13' }), ['field.date', 'Month']],
		['a year as month', invoices({ period: 'month', month: '2026' }), ['field.serial', 'Month']],
		[
			'a period of 61 months',
			invoices({ period: 'months', firstMonth: '2020-01', lastMonth: '2025-01' }),
			['period.long'],
		],
		[
			'a switch that an expression left empty',
			crf(RFC, { checkIdentifiers: '={{ undefined }}' }),
			['field.choice', 'Check Identifiers First'],
		],
		[
			'a filter by a query that does not exist',
			operationParameters('query', 'getAll', { filters: { queries: ['crf'] } }),
			['field.choice', 'Queries'],
		],
		[
			'additional fields that are no JSON object',
			crf(RFC, { additionalBodyFields: '[1]' }),
			['field.object', 'Additional Body Fields'],
		],
		[
			'hours that are no number',
			getCrfParameters({ rfc: RFC, reuse: 'hours', reuseHours: 'soon' }),
			['field.number', 'Reuse Results Up To (Hours)'],
		],
		...(['RFC', 'CURP'] as const).flatMap((name): typeof mistakes => {
			const filtered = (value: string) =>
				operationParameters('query', 'getAll', { filters: { [name.toLowerCase()]: value } });
			return [
				[`a filter by ${name} without value`, filtered(''), ['filter.empty', name]],
				[`a filter by ${name} that is a hyphen`, filtered('-'), ['filter.empty', name]],
				[`a filter by ${name} of no column`, filtered('={{ $json.no }}'), ['filter.empty', name]],
				[
					`a filter by ${name} that is an object`,
					filtered('={{ { a: 1 } }}'),
					['field.empty', name],
				],
				[`a filter by ${name} that is a list`, filtered('={{ ["a"] }}'), ['field.empty', name]],
			];
		}),
		...['createdAfter', 'createdBefore', 'queries', 'status'].map(
			(name): (typeof mistakes)[number] => [
				`the filter ${name} of no column`,
				operationParameters('query', 'getAll', { filters: { [name]: '={{ $json.no }}' } }),
				['filter.empty', expect.any(String) as string],
			],
		),
		[
			'a filter by status that is an object',
			operationParameters('query', 'getAll', { filters: { status: '={{ { a: 1 } }}' } }),
			['field.choice', 'Status'],
		],
		[
			'a date filter that is none',
			operationParameters('query', 'getAll', { filters: { createdAfter: 'monday' } }),
			['field.date', 'Created After'],
		],
		[
			'no query ID',
			operationParameters('query', 'get', { queryId: '={{ "" }}' }),
			['field.empty', 'Query ID'],
		],
	];

	it.each(mistakes)(
		'%s: costs nothing, and the error names the field',
		async (_what, parameters, [code, field]) => {
			const { error } = await sandbox.run(parameters);
			expect([codeOf(error), error?.context?.field]).toEqual([code, field]);
			expect(await sandbox.requests()).toEqual([]);
		},
	);

	it('keeps all items of the run from being sent, wherever it stands', async () => {
		const items = [...rfcs(60), 'GODE561331GR8'].map((rfc) => ({ rfc }));
		const { error } = await sandbox.run(getCrfParameters(), { items });
		expect([error?.context?.item, await sandbox.ledger()]).toEqual([61, []]);
	});

	it('is the only one to fail where items may fail', async () => {
		const items = ['GODE561331GR8', RFC].map((rfc) => ({ rfc }));
		const result = await sandbox.run(getCrfParameters(), { items, onError: 'continueErrorOutput' });
		const { failed, items: passed } = result;
		expect([failed, passed].map(([{ pairedItem }]) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
		]);
	});

	it('does not repeat the identifier in the error', async () => {
		const { error } = await sandbox.run(crf('GODE561331GR8'));
		expect(`${error?.message} ${error?.description}`).not.toContain('GODE561331GR8');
	});

	it('reports a query ID that the service does not know', async () => {
		const { error } = await sandbox.run(
			operationParameters('query', 'get', { queryId: 'unknown-1' }),
		);
		expect(codeOf(error)).toBe('noQuery');
	});

	it.each(['getCsf', 'getComplianceOpinion', 'getInvoices'])(
		'%s without a tax profile: the error says what to run first',
		async (name) => {
			const { error } = await sandbox.run(
				operationParameters('taxAuthority', name, {
					rfc: rfcs(2)[1],
					period: 'month',
					month: '2026-01',
				}),
			);
			expect([codeOf(error), error?.context?.mayLackProfile]).toEqual(['status.409', true]);
		},
	);
});

describe('an item that only seems wrong', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);
	const sent = async (path: string) => (await sandbox.requests(path))[0].body;

	it('is sent as an RFC without blanks and hyphens, in upper case', async () => {
		await sandbox.run(crf(' gode 561231-gr8 '));
		expect(await sent('/api/query/crf')).toEqual({ rfc: 'GODE561231GR8' });
	});

	it('of another kind is named, and not sent', async () => {
		const { error } = await sandbox.run(crf('GODE561231HVZRSN09'));
		expect(error?.message).toMatch(/^.RFC. cannot be right: This is a CURP, not an RFC\./);
		expect(await sandbox.ledger()).toEqual([]);
	});

	it('is sent with a warning for a wrong digit of the RFC', async () => {
		const { items } = await sandbox.run(crf('GODE561231GR7'));
		expect(items[0].json.warnings).toEqual([
			{ field: 'RFC', code: 'DIGIT', message: expect.any(String) },
		]);
	});

	// The workflow's time zone is that of n8n, America/New_York by default.
	it.each([
		['day/month/year', '31/12/1956'],
		['a date', '1956-12-31'],
		['the editor', '1956-12-31T00:00:00'],
		['midnight in any zone, as databases give dates', '1956-12-31T00:00:00.000Z'],
		['midnight in Mexico', '1956-12-31T00:00:00-06:00'],
		['midnight here, written in UTC', '1956-12-31T05:00:00.000Z', 'America/New_York'],
		['midnight in Mexico, written in UTC', '1956-12-31T06:00:00.000Z', 'America/Mexico_City'],
		['a blank before the time', '1956-12-31 00:00:00'],
		['a date and time of n8n', '={{ DateTime.fromISO("1956-12-31") }}'],
		['a Date at midnight', '={{ new Date("1956-12-31") }}'],
		['marks of direction around it', '\u200e31/12/1956\u200f'],
	])('is sent as the day that it is here, for %s', async (_what, birthDate, ...zone: string[]) => {
		const [timezone] = zone;
		await sandbox.run(born(birthDate), timezone === undefined ? {} : { timezone });
		expect(await sent('/api/query/rfc-calculator')).toMatchObject({
			day: 31,
			month: 12,
			year: 1956,
		});
	});

	it("requests last month's invoices if no period is entered", async () => {
		await sandbox.run(createTaxProfileParameters(RFC));
		await sandbox.run(operationParameters('taxAuthority', 'getInvoices', { rfc: RFC }));
		const now = new Date();
		const last = new Date(Date.UTC(now.getFullYear(), now.getMonth() - 1))
			.toISOString()
			.slice(0, 7);
		expect(await sent('/api/query/tax/invoice')).toEqual({ rfc: RFC, from: last, to: last });
	});

	it('is sent with a birth date from day, month and year', async () => {
		await sandbox.run(bornAs(29, 2, 1956));
		expect(await sent('/api/query/rfc-calculator')).toMatchObject({
			day: 29,
			month: 2,
			year: 1956,
		});
	});

	it('is fine as a tax profile for an RFC with blanks', async () => {
		await sandbox.run(createTaxProfileParameters(` ${RFC.toLowerCase()} `));
		expect(await sent('/api/query/tax/profile')).toMatchObject({ rfc: RFC });
	});
});

it('an instant that is 23:00 in Mexico City is an error that asks for a plain day', async () => {
	const sandbox = await taxQuerySandbox();
	const { error } = await sandbox.run(born('1956-12-31T05:00:00.000Z'), {
		timezone: 'America/Mexico_City',
	});
	const billed = (await sandbox.ledger()).length;
	await sandbox.close();
	expect({ code: codeOf(error), field: error?.context?.field, billed }).toEqual({
		...{ code: 'field.instant', field: 'Birth Date', billed: 0 },
	});
});

describe('texts about input', () => {
	const [RFC] = rfcs(1);
	const crf = (rfc: string) => getCrfParameters({ rfc });
	const curp = (value: string) => operationParameters('person', 'getCurpData', { curp: value });

	const born = (birthDate: string) =>
		operationParameters('taxpayer', 'calculateRfc', {
			name: 'Emma',
			firstLastName: 'Gómez',
			birthDate,
		});

	const invoices = (parameters: INodeParameters) =>
		operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...parameters });

	const check = (parameters: INodeParameters) =>
		operationParameters('identifier', 'check', parameters);

	/** What an operator reads about an item with a mistake in it. */
	describe('a mistake', () => {
		const sandbox = sandboxForTestGroup(taxQuerySandbox);

		it.each<[INodeParameters, RegExp]>([
			[crf('GODE561331GR8'), /^'RFC' cannot be right: .*date/],
			[crf('GODE5612'), /^'RFC' cannot be right: .*8 characters/],
			[
				crf('GODE56O231GR8'),
				/^'RFC' cannot be right: Position 7 of the RFC holds "O".* did you mean the digit 0\?/,
			],
			[crf('GODE561231'), /^'RFC' has no homoclave/],
			[crf('XAXX010101000'), /^'RFC' is the generic one, which belongs to nobody/],
			[crf(' '), /^'RFC' is empty or not a text/],
			[
				operationParameters('company', 'getShareholders', { rfc: RFC }),
				/^'RFC' is that of a person, but only companies have shareholders/,
			],
			[curp('PEXL990821HSRRXS04'), /^'CURP' cannot be right: .*digit/],
			[curp('PEXL990821HZZRXS05'), /^'CURP' cannot be right: .*state/],
			[
				curp('PEXL990821H5RRXS05'),
				/Position 12 of the CURP holds "5".* did you mean the letter S\?/,
			],
			[
				curp('PEXL850821HSRRXSO1'),
				/Position 17 of the CURP is the letter O, so the birth year would be 2085.* did you mean the digit 0\?/,
			],
			[{ ...born('1990-01-31'), firstLastName: 'N/A' }, /^'First Last Name' is no name/],
			[born('1990-02-31'), /^'Birth Date' is not a date that exists/],
			[born('={{ 20820 }}'), /^'Birth Date' is a number, not a date/],
			[born('2999-01-01'), /^'Birth Date' lies in the future/],
			[born('1890-01-01'), /^'Birth Date' lies before 1900/],
			[
				invoices({ period: 'months', firstMonth: '2026-02', lastMonth: '2026-01' }),
				/^The period runs backwards/,
			],
			[
				invoices({ period: 'months', firstMonth: '2020-01', lastMonth: '2025-01' }),
				/^The period has 61 months, but at most 60 are asked for/,
			],
			[
				getCrfParameters({ rfc: RFC }, { checkIdentifiers: 'no' }),
				/^'Check Identifiers First' is not in the list/,
			],
			[getCrfParameters({ rfc: RFC, reuse: 'soon' }), /^'Reuse Results' is not in the list/],
			[
				getCrfParameters({ rfc: RFC, reuse: 'hours', reuseHours: 'soon' }),
				/^'Reuse Results Up To \(Hours\)' must be a number, 0 or more/,
			],
			[
				getCrfParameters({ rfc: RFC }, { additionalBodyFields: '[1]' }),
				/^'Additional Body Fields' must be a JSON object/,
			],
			[
				operationParameters('query', 'getAll', { filters: { queries: ['crf'] } }),
				/^The filter 'Queries' holds an entry that is not in its list/,
			],
			[check({}), /^There is nothing to check/],
		])('in %j is named', async (parameters, message) => {
			const { error } = await sandbox.run(parameters);
			expect(error?.message).toMatch(message);
		});

		it('is summed up where identifiers are checked', async () => {
			const { items } = await sandbox.run(
				check({
					rfc: ' gode 561231-gr8 ',
					curp: 'sabc560626mdflrn01',
					nss: '12345678903',
					zipCode: '06700',
					state: 'CMX',
					options: { simplify: false },
				}),
			);
			expect(items[0].json.summary).toBe(
				'RFC: valid; CURP: valid; NSS: valid; Zip Code: valid; They do not fit each other',
			);
		});

		it.each([
			['', /^The RFC is empty\.$/],
			['EISE850314', /^The RFC has no homoclave: .*\.$/],
			['XAXX010101000', /^This generic RFC, .*finds nothing\.$/],
			['GODE561331GR8', /^In the RFC, positions 7–8 give month 13; .*\.$/],
			['GODE56O231GR8', /^Position 7 of the RFC holds "O"; .* did you mean the digit 0\?$/],
		])('is one sentence in the row of %j', async (rfc, problem) => {
			const { items } = await sandbox.run(check({ rfc: '={{ $json.rfc }}' }), { items: [{ rfc }] });
			expect(items[0].json.reason).toMatch(problem);
		});
	});

	describe('the body of a paid query', () => {
		const sandbox = sandboxForTestGroup(taxQuerySandbox);

		it('holds composed letters, no invisible characters, and single blanks', async () => {
			const { error } = await sandbox.run({
				...born('1990-01-31'),
				name: ' Jose\u0301\u200b  Mari\u0301a ',
				firstLastName: 'Mun\u0303oz\ufeff',
				secondLastName: 'De\u00a0la\u2003Pen\u0303a\u00ad',
			});
			const [{ body }] = await sandbox.requests('/api/query/rfc-calculator');
			expect(error).toBeUndefined();
			expect(body).toMatchObject({
				name: 'José María'.normalize('NFC'),
				firstLastName: 'Muñoz'.normalize('NFC'),
				secondLastName: 'De la Peña'.normalize('NFC'),
			});
		});
	});
});

describe('the columns of the input', () => {
	const CRF =
		'legalName rfc regimes certificateValid certificateValidUntil representativeRfc zipCode federalState outcome reason billed queryId';
	const namesOf = (json: IDataObject) => Object.keys(json);
	const jsonOf = ({ items }: NodeRun) => items.map(({ json }) => json);
	const sandbox = freshSandboxForEachTest(taxQuerySandbox, {});
	const me = () => sandbox.reserved('success').rfc;
	const check = async (items: IDataObject[]) =>
		jsonOf(
			await sandbox.run(operationParameters('identifier', 'check', { rfc: '={{ $json.rfc }}' }), {
				items,
				credentials: {},
			}),
		);
	const waiting = { waitForResult: true, maxWait: 30 };

	it('all survive Check and then Get CRF, the new ones behind them', async () => {
		const items = await check([{ cliente: 'Uno', alta: '2026-01-02', rfc: ` ${me()} ` }]);
		const { items: found, error } = await sandbox.run(getCrfParameters(waiting), { items });
		expect(error).toBeUndefined();
		const { json, pairedItem } = found[0];
		expect(namesOf(json)).toEqual(`cliente alta personType birthDate ${CRF}`.split(' '));
		expect(json).toMatchObject({ cliente: 'Uno', rfc: me(), outcome: 'result', billed: 1 });
		expect(pairedItem).toEqual({ item: 0 });
	});

	it('have one name beside results, pending queries and failures', async () => {
		const [pending, failed] = [sandbox.reserved('pending').rfc, sandbox.reserved('failed').rfc];
		const rows = [me(), pending, failed].map((rfc, row) => ({ row, reason: 'mine', rfc }));
		const run = await sandbox.run(getCrfParameters({ ...waiting, maxWait: 1 }), {
			items: rows,
			onError: 'continueErrorOutput',
		});
		const [result, open] = jsonOf(run);
		const [{ json: failure }] = run.failed;
		const account = ['outcome', 'reason', 'billed', 'queryId'];
		expect(namesOf(result)).toEqual(['row', 'inputReason', ...CRF.split(' ')]);
		expect(namesOf(open)).toEqual(['row', 'inputReason', 'rfc', ...account]);
		expect(namesOf(failure)).toEqual([
			'row',
			'inputReason',
			'rfc',
			'error',
			'errorCode',
			'errorDetail',
			...account,
		]);
		expect([result, open, failure].map(({ inputReason }) => inputReason)).toEqual([
			'mine',
			'mine',
			'mine',
		]);
	});

	it('come with the files of the input, for failed items, too', async () => {
		const binary = { ine: { data: 'aGk=', mimeType: 'text/plain', fileName: 'ine.txt' } };
		const rows = [{ rfc: me() }, { rfc: sandbox.reserved('failed').rfc }];
		for (const onError of ['continueErrorOutput', 'continueRegularOutput'] as const) {
			const run = await sandbox.run(getCrfParameters(waiting), { items: rows, binary, onError });
			const all = [...run.items, ...run.failed];
			expect(all.map((item) => item.binary)).toEqual([binary, binary]);
		}
		const without = { ...waiting, includeOtherFields: false };
		const { items } = await sandbox.run(getCrfParameters(without), { items: [rows[0]], binary });
		expect(items[0].binary).toBeUndefined();
	});

	it.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
		'keep the query ID of an earlier query beside a failure, under %s',
		async (onError) => {
			const { items, failed } = await sandbox.run(getCrfParameters(), {
				items: [{ rfc: 'GODE561331GR8', queryId: 'earlier', error: 'earlier' }],
				onError,
			});
			expect([...items, ...failed][0].json).toMatchObject({
				...{ inputQueryId: 'earlier', queryId: null, errorCode: 'identifier.DATE' },
			});
		},
	);

	it('leave no name of the input readable beside a failure under Masked', async () => {
		const { failed } = await sandbox.run(getCrfParameters({}, { personalData: 'masked' }), {
			items: [{ rfc: 'GODE561331GR8', legalName: 'Emma', queryId: 'earlier' }],
			onError: 'continueErrorOutput',
		});
		expect(failed[0].json).toMatchObject({ inputLegalName: '******', inputQueryId: '******' });
		expect(JSON.stringify(failed)).not.toContain('Emma');
	});

	it('stand beside a reused result', async () => {
		const rows = [{ row: 1, rfc: me() }];
		await sandbox.run(getCrfParameters(waiting), { items: rows });
		const again = await sandbox.run(
			getCrfParameters({ ...waiting, reuse: 'hours', reuseHours: 24 }),
			{
				items: rows,
			},
		);
		expect(jsonOf(again)[0]).toMatchObject({ row: 1, reused: true, outcome: 'result' });
		expect(await sandbox.ledger()).toHaveLength(1);
	});

	it('stand beside each row of an item that has several', async () => {
		await sandbox.run(createTaxProfileParameters(me()));
		const run = await sandbox.run(
			operationParameters('taxAuthority', 'getInvoices', {
				...{ rfc: '={{ $json.rfc }}', period: 'months' },
				...{ firstMonth: '2026-01', lastMonth: '2026-03' },
			}),
			{ items: [{ cliente: 'Uno', rfc: me(), period: 'trimestre' }] },
		);
		expect(
			jsonOf(run).map(({ cliente, inputPeriod, period }) => [cliente, inputPeriod, period]),
		).toEqual(['2026-01', '2026-02', '2026-03'].map((month) => ['Uno', 'trimestre', month]));
	});

	it('stand before a raw record with Simplify off', async () => {
		const { items } = await sandbox.run(getCrfParameters(waiting, { simplify: false }), {
			items: [{ cliente: 'Uno', rfc: me(), service: 'mine' }],
		});
		expect(items[0].json).toMatchObject({
			...{ cliente: 'Uno', rfc: me(), inputService: 'mine' },
			...{ service: 'CRF', status: 'SUCCESS', query: { rfc: me() } },
		});
	});

	it('keep the query ID of an earlier query of another type', async () => {
		const [{ curp }] = [sandbox.reserved('success')];
		const first = await sandbox.run(
			operationParameters('person', 'getCurpData', { curp: '={{ $json.curp }}' }),
			{ items: [{ cliente: 'Uno', curp, rfc: me() }] },
		);
		const [person] = jsonOf(first);
		expect(person).toMatchObject({ inputRfc: me(), curp });
		const [both] = jsonOf(await sandbox.run(getCrfParameters(waiting), { items: [person] }));
		expect([both.inputQueryId, both.curp, both.cliente]).toEqual([person.queryId, curp, 'Uno']);
		expect(both.queryId).not.toBe(person.queryId);
		const [all] = jsonOf(
			await sandbox.run(operationParameters('taxpayer', 'getRfcData', { rfc: me(), ...waiting }), {
				items: [both],
			}),
		);
		expect([all.inputQueryId, all.inputQueryId2]).toEqual([person.queryId, both.queryId]);
	});

	it('give way to the newer state of the same query, however often it is read', async () => {
		const sent = await sandbox.run(getCrfParameters(), {
			items: [{ cliente: 'Uno', reason: 'nuevo', rfc: sandbox.reserved('pending').rfc }],
		});
		const get = operationParameters('query', 'get', { queryId: '={{ $json.queryId }}' });
		const once = await sandbox.run(get, { items: jsonOf(sent) });
		const twice = await sandbox.run(get, { items: jsonOf(once) });
		expect(jsonOf(once)[0]).toMatchObject({
			...{ cliente: 'Uno', inputReason: 'nuevo', status: 'PENDING', outcome: 'pending' },
			billed: 1,
		});
		expect(namesOf(jsonOf(twice)[0])).toEqual(namesOf(jsonOf(once)[0]));
		expect(jsonOf(twice)[0]).not.toHaveProperty('message');
	});

	it('never come out as an error of an item that succeeded', async () => {
		const { items } = await sandbox.run(getCrfParameters(), {
			items: [{ rfc: me(), error: 'of an earlier step' }],
			maxTries: 3,
		});
		expect(items[0].json).toMatchObject({ inputError: 'of an earlier step' });
		expect(items[0].json).not.toHaveProperty('error');
		expect(await sandbox.requests('/api/query/crf')).toHaveLength(1);
	});

	it.each<[string, object, boolean]>([
		['with Include Other Input Fields off', { includeOtherFields: false }, false],
		['for an AI agent', {}, true],
	])('are left out %s', async (_when, fields, isTool) => {
		const { items } = await sandbox.run(getCrfParameters({ ...waiting, ...fields }), {
			items: [{ cliente: 'Uno', rfc: me() }],
			isTool,
		});
		expect(namesOf(items[0].json)).toEqual(CRF.split(' '));
	});

	it('stop an item before sending where the choice cannot be read', async () => {
		const { error } = await sandbox.run(getCrfParameters({ includeOtherFields: 'perhaps' }), {
			items: [{ rfc: me() }],
		});
		expect([codeOf(error), await sandbox.ledger()]).toEqual(['field.boolean', []]);
	});

	it.each(['masked', 'pseudonym'])('are hidden under %s, except Fields to Keep', async (mode) => {
		const { items } = await sandbox.run(
			getCrfParameters(waiting, { personalData: mode, fieldsToKeep: ['row'] }),
			{
				items: [{ row: 7, cliente: 'Uno', rfc: me() }],
				credentials: {
					taxQueryApi: {
						...sandbox.credentials().taxQueryApi,
						pseudonymKey: 'a key that is long enough to be one',
					},
				},
			},
		);
		const { row, cliente } = items[0].json;
		expect([row, cliente === 'Uno', JSON.stringify(items).includes(me())]).toEqual([
			7,
			false,
			false,
		]);
	});

	it('repeat no secret that a parameter takes from them', async () => {
		const { items, error } = await sandbox.run(
			operationParameters('taxAuthority', 'createTaxProfile', {
				...{ loginFrom: 'fields', rfc: '={{ $json.rfc }}', ciec: '={{ $json.clave }}' },
			}),
			{ items: [{ cliente: 'Uno', rfc: me(), clave: CIEC, note: `${CIEC}!` }], secrets: [CIEC] },
		);
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ cliente: 'Uno', clave: '***', note: '***' });
	});

	it('keep their rows where 200 of them come out', async () => {
		const rows = rfcs(200).map((rfc, row) => ({ row, rfc, queryId: `mine ${row}` }));
		const { items, error } = await sandbox.run(getCrfParameters(), { items: rows });
		expect(error).toBeUndefined();
		expect(
			jsonOf({ items } as NodeRun).map(({ row, inputQueryId }) => [row, inputQueryId]),
		).toEqual(rows.map(({ row, queryId }) => [row, queryId]));
	});
});

describe('Identifier → Check with Simplify off', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);

	const check = async (parameters: INodeParameters) =>
		await sandbox.run(
			{
				...{ resource: 'identifier', operation: 'check', options: { simplify: false } },
				...parameters,
			},
			{ credentials: {} },
		);

	it('needs no credential and sends nothing', async () => {
		const { error } = await check({ rfc: 'GODE561231GR8' });
		expect([error, await sandbox.requests()]).toEqual([undefined, []]);
	});

	it('returns each identifier normalised, with its details', async () => {
		const { items } = await check({
			rfc: ' gode 561231-gr8 ',
			curp: 'sabc560626mdflrn01',
			nss: '12345678903',
			zipCode: '06700',
			state: 'CMX',
		});
		expect(items[0].json).toMatchObject({
			valid: true,
			rfc: { valid: true, normalized: 'GODE561231GR8', type: 'PF', date: '1956-12-31' },
			curp: { valid: true, sex: 'female', birthDate: '1956-06-26', state: { code: 'CMX' } },
			nss: { valid: true, normalized: '12345678903' },
			zipCode: { valid: true, state: { code: 'CMX' } },
			errors: [],
		});
	});

	it('returns each error with its field', async () => {
		const { items } = await check({ rfc: 'GODE561331GR8', zipCode: '06700', state: 'JAL' });
		expect(items[0].json).toMatchObject({
			valid: false,
			errors: [
				{ field: 'RFC', code: 'DATE' },
				{ field: 'Zip Code', code: 'STATE' },
			],
		});
	});

	it('warns where the identifiers do not fit each other', async () => {
		const { items } = await check({
			rfc: 'GODE561231GR8',
			curp: 'SABC560626MDFLRN01',
			birthDate: '1956-12-30',
		});
		const codes = (items[0].json.warnings as Array<{ field: string; code: string }>)
			.filter(({ field }) => field === 'Consistency')
			.map(({ code }) => code);
		expect([items[0].json.valid, codes]).toEqual([
			true,
			expect.arrayContaining(['LETTERS', 'DATE']),
		]);
	});

	it('says so when there is nothing to check', async () => {
		const { error } = await check({});
		expect(codeOf(error)).toBe('nothingToCheck');
	});
});

describe('Identifier → Check of a table', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);
	const [RFC, OTHER] = rfcs(2);
	const byColumn = (...names: string[]): INodeParameters =>
		Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`]));
	const check = async (items: IDataObject[], parameters: INodeParameters, isTool = false) =>
		await sandbox.run(operationParameters('identifier', 'check', parameters), {
			credentials: {},
			items,
			isTool,
		});
	const rowsOf = async (...requests: Parameters<typeof check>) => {
		const { items, error } = await check(...requests);
		expect(error).toBeUndefined();
		return items.map(({ json }) => json);
	};

	it('keeps the columns of each row and adds flat ones', async () => {
		const [row] = await rowsOf(
			[{ cliente: 'Uno', rfc: ' gode 561231-gr8 ', alta: '2026-01-02' }],
			byColumn('rfc'),
		);
		expect(Object.entries(row)).toEqual(
			Object.entries({
				cliente: 'Uno',
				alta: '2026-01-02',
				rfc: 'GODE561231GR8',
				outcome: 'ready',
				reason: null,
				ready: true,
				personType: 'PF',
				birthDate: '1956-12-31',
			}),
		);
	});

	it.each(['', '  ', 'EISE850314', 'XAXX010101000', 'GODE561331GR8'])(
		'says that %j cannot be queried, and why',
		async (rfc) => {
			const [row] = await rowsOf([{ rfc }], byColumn('rfc'));
			const reason = expect.any(String) as unknown;
			expect(row).toMatchObject({ outcome: 'notReady', ready: false, reason });
		},
	);

	it('warns of an RFC whose check digit does not fit, which may be queried', async () => {
		const [row] = await rowsOf([{ rfc: 'GODE561231GR9' }], byColumn('rfc'));
		expect(row).toMatchObject({
			...{ outcome: 'warning', ready: false, reason: expect.any(String) as unknown },
		});
	});

	it('goes on behind empty cells, whatever they hold', async () => {
		const items = [{ rfc: RFC }, { rfc: '' }, { rfc: null }, {}, { rfc: OTHER }];
		const rows = await rowsOf(items, byColumn('rfc'));
		expect(rows.map(({ ready }) => ready)).toEqual([true, false, false, false, true]);
	});

	it('finds an unreadable birth date in its row', async () => {
		const rows = await rowsOf(
			[
				{ rfc: RFC, birthDate: '1990-02-31' },
				{ rfc: RFC, birthDate: '' },
			],
			byColumn('rfc', 'birthDate'),
		);
		expect(rows.map(({ ready, reason }) => [ready, reason])).toEqual([
			[false, expect.any(String)],
			[true, null],
		]);
	});

	it('adds columns of the fields that the operator filled in, and of no other', async () => {
		const [row] = await rowsOf([{ rfc: RFC, curp: '', nss: 'mine' }], byColumn('rfc', 'curp'));
		expect(row).toMatchObject({ rfc: RFC, curp: null, nss: 'mine', outcome: 'notReady' });
		expect(row).not.toHaveProperty('zipCode');
	});

	it('loses no column that has the name of one of its own', async () => {
		const [row] = await rowsOf(
			[{ tax: RFC, rfc: 'of the group', reason: 'A', birthDate: '1990-01-31', inputReason: 'B' }],
			{ rfc: '={{ $json.tax }}' },
		);
		expect(row).toMatchObject({
			tax: RFC,
			rfc: RFC,
			inputRfc: 'of the group',
			inputReason2: 'A',
			inputReason: 'B',
			inputBirthDate: '1990-01-31',
			personType: 'PF',
		});
	});

	it.each([
		['with the switch off', { includeOtherFields: false }, false],
		['for an AI agent', {}, true],
	])('leaves the input out %s', async (_when, more, isTool) => {
		const [row] = await rowsOf(
			[{ cliente: 'Uno', rfc: RFC }],
			{ ...byColumn('rfc'), ...more },
			isTool,
		);
		expect(row).toEqual(expect.not.objectContaining({ cliente: 'Uno' }));
	});

	it('expects of an AI agent only what it filled in', async () => {
		const [row] = await rowsOf([{ rfc: RFC, curp: '' }], byColumn('rfc', 'curp'), true);
		expect(row).toMatchObject({ rfc: RFC, ready: true });
		expect(row).not.toHaveProperty('curp');
	});

	it.each([
		['its flat column', { simplify: true }],
		['its object, with Simplify off', { simplify: false }],
	])('feeds a billed query with %s', async (_how, options) => {
		const [row] = await rowsOf([{ rfc: RFC.toLowerCase() }], { ...byColumn('rfc'), options });
		const { items, error } = await sandbox.run(getCrfParameters(), { items: [row] });
		expect([error, items[0].json.rfc]).toEqual([undefined, RFC]);
	});
});
