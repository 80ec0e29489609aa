import { DateTime } from 'luxon';
import { periodBefore } from '../../../../nodes/TaxQuery/spending/spendingPeriod';

describe('a period of spending, by its name', () => {
	it.each([
		['today', '2026-03-04T23:59', '2026-03-04', '2026-03-05'],
		['lastWeek', '2026-03-02T00:00', '2026-02-23', '2026-03-02'], // a Monday
		['lastWeek', '2026-03-08T23:59', '2026-02-23', '2026-03-02'], // a Sunday
		['lastWeek', '2026-01-01T12:00', '2025-12-22', '2025-12-29'],
		['thisMonth', '2026-02-28T12:00', '2026-02-01', '2026-03-01'],
		['lastMonth', '2026-03-31T12:00', '2026-02-01', '2026-03-01'],
		['lastMonth', '2026-01-15T12:00', '2025-12-01', '2026-01-01'],
	] as const)('%s at %s is %s to %s', (name, now, start, end) => {
		const zone = 'America/Tijuana'; // it has daylight saving time
		const period = periodBefore(name, DateTime.fromISO(now, { zone }));
		expect([period.start, period.end].map((moment) => moment.toISO())).toEqual(
			[start, end].map((day) => DateTime.fromISO(day, { zone }).toISO()),
		);
	});
});
