import { taxQuery } from '../../../../nodes/shared/http/services';

describe('the points per second of the query service', () => {
	it.each([
		[{}, 10],
		[{ pointsPerSecond: 20 }, 20],
		[{ pointsPerSecond: 'many' }, NaN],
	])('of %j are %p for all processes', (fields, points) => {
		expect(taxQuery.pointsPerSecond(fields)).toBe(points);
	});

	it.each([
		[{}, 1],
		[{ processes: 4 }, 4],
		[{ processes: 0 }, 1],
		[{ processes: 'some' }, 1],
	])('by %j are shared by %p processes', (fields, processes) => {
		expect(taxQuery.processes?.(fields)).toBe(processes);
	});
});
