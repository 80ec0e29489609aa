import { DateTime } from 'luxon';
import { readDay } from '../../../../nodes/TaxQuery/fields/dates';

const ZONES = [
	'UTC',
	'America/Mexico_City',
	'America/Tijuana',
	'America/New_York',
	'America/Sao_Paulo',
	'Europe/Madrid',
	'Asia/Kolkata',
	'Asia/Tokyo',
	'Pacific/Kiritimati',
	'Pacific/Pago_Pago',
];

const dayOf = (value: unknown, zone: string) => readDay(value, 'Birth Date', zone).toISODate();
/** The machine's own tables show it. */
const calendarDay = (instant: string, timeZone: string) =>
	new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date(instant));

describe.each(ZONES)('a day in the time zone %s', (zone) => {
	it.each<[string, unknown]>([
		['a date', '1956-12-31'],
		['day/month/year', '31/12/1956'],
		['one with blanks around it', ' 1956-12-31 '],
		['what the editor enters', '1956-12-31T00:00:00'],
		['midnight in UTC', '1956-12-31T00:00:00.000Z'],
		['midnight in Mexico', '1956-12-31T00:00:00-06:00'],
		['midnight in Tokyo', '1956-12-31T00:00:00+09:00'],
		['a blank before the time', '1956-12-31 00:00:00'],
		['a time without a zone', '1956-12-31T23:59:59'],
		['a Date at midnight', new Date('1956-12-31')],
		["Luxon's, of this zone", DateTime.fromISO('1956-12-31', { zone })],
		["Luxon's, midnight elsewhere", DateTime.fromISO('1956-12-31', { zone: 'Asia/Tokyo' })],
	])('is the one that is written: %s', (_form, value) => {
		expect(dayOf(value, zone)).toBe('1956-12-31');
	});

	it.each([
		'1956-12-31T05:30:00.000Z',
		'1956-12-31T23:30:00-06:00',
		'1956-12-31T12:00:00+14:00',
		'1957-01-01T03:00:00.001Z',
		'2024-02-29T23:59:59Z',
		'2018-11-04T02:30:00.000Z',
	])('is the one that the calendar shows at %s, however that comes', (instant) => {
		const forms = [instant, new Date(instant), DateTime.fromISO(instant, { zone: 'utc' })];
		expect(forms.map((form) => dayOf(form, zone))).toEqual(
			forms.map(() => calendarDay(instant, zone)),
		);
	});

	it('exists although its midnight does not', () => {
		expect(dayOf('2018-11-04', zone)).toBe('2018-11-04');
	});

	it.each([20820, '20820', '20820.5', 20820.75, 1990, '1990', '10', 0])(
		'refuses a number as a day: %p',
		(value) => {
			expect(() => dayOf(value, zone)).toThrow("'Birth Date' is a number, not a date");
		},
	);

	it.each([
		'',
		' ',
		null,
		undefined,
		true,
		{},
		[],
		'1956-02-30',
		'30/02/1956',
		'12/31/1956',
		'1990-W05-1',
		'today',
	])('is none that does not exist: %p', (value) => {
		expect(() => dayOf(value, zone)).toThrow("'Birth Date' is not a date that exists");
	});
});

it("names Excel's serial number in the error", () => {
	try {
		readDay(20820, 'Birth Date', 'UTC');
	} catch (error) {
		expect((error as { description: string }).description).toContain("Excel's serial number");
	}
	expect.assertions(1);
});
