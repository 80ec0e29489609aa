import type { INodeParameters } from 'n8n-workflow';
import { codeOf } from '../../support/errorCode';
import {
	createTaxProfileParameters,
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

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

	/** Describes what is entered, and what the error is about: its code, and the field. */
	type Rendered = [code: string, field?: string];
	const mistakes: Array<[what: string, parameters: INodeParameters, expected: Rendered]> = [
		['an RFC with an impossible date', crf('GODE561331GR8'), ['identifier.DATE', 'RFC']],
		['an RFC that is too short', crf('GODE5612'), ['identifier.FORMAT', 'RFC']],
		['an RFC without homoclave', crf('GODE561231'), ['identifier.HOMOCLAVE', 'RFC']],
		...['XAXX010101000', 'EXT990101NI4', 'ext-990101-NI9'].map(
			(rfc): [string, INodeParameters, Rendered] => [
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

	it.each(mistakes)('%s: the error names the field', async (_what, parameters, [code, field]) => {
		const { error } = await sandbox.run(parameters);
		expect([codeOf(error), error?.context?.field]).toEqual([code, field]);
	});

	it.each(mistakes)('%s: costs nothing', async (_what, parameters) => {
		await sandbox.run(parameters);
		expect(await sandbox.requests()).toEqual([]);
	});

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
