import { taxQuery } from '../../../../nodes/shared/transport/service';

describe('the points per second of the query service', () => {
	it.each([
		[{}, 10],
		[{ pointsPerSecond: 20 }, 20],
		[{ pointsPerSecond: 20, processes: 4 }, 5],
		[{ pointsPerSecond: 0, processes: 4 }, 0],
		[{ pointsPerSecond: 10, processes: 0 }, 10],
		[{ pointsPerSecond: 'many' }, NaN],
	])('of %j are %p for this process', (fields, points) => {
		expect(taxQuery.pointsPerSecond(fields)).toBe(points);
	});
});
