import { invertNames } from '../../../../nodes/shared/utils/invertNames';

describe('a renaming, read backwards,', () => {
	it.each<[what: string, mapped: Record<string, string>, inverse: Record<string, string>]>([
		['gives back a mapped name', { ciec: 'clave' }, { clave: 'ciec', ciec: 'clave' }],
		['gives a swap back', { rfc: 'id', id: 'rfc' }, { id: 'rfc', rfc: 'id' }],
		[
			'gives the old name of the first of a chain the last free one',
			{ rfc: 'id', id: 'key' },
			{ id: 'rfc', key: 'id', rfc: 'key' },
		],
		['leaves a name mapped to itself', { rfc: 'rfc' }, { rfc: 'rfc' }],
		['skips a field that the service does not have', { to: '' }, {}],
	])('%s', (_, mapped, inverse) => {
		expect(Object.fromEntries(invertNames(mapped))).toEqual(inverse);
	});

	it('never gives one name to two fields', () => {
		const names = invertNames({ rfc: 'taxId', period: 'month', from: 'period' });
		expect(new Set(names.values()).size).toBe(names.size);
	});
});

/** More than any chain of names needs, and less than a loop without an end. */
const MOST_STEPS = 1_000;

/** Ends a search that would never end by an error. */
function withLimitedSteps<T>(work: () => T): T {
	const get = Object.getOwnPropertyDescriptor(Map.prototype, 'get')?.value as (
		this: Map<unknown, unknown>,
		key: unknown,
	) => unknown;
	let steps = 0;
	const limited = jest.spyOn(Map.prototype, 'get').mockImplementation(function (
		this: Map<unknown, unknown>,
		key: unknown,
	) {
		if (++steps > MOST_STEPS) throw new Error(`More than ${MOST_STEPS} steps`);
		return get.call(this, key);
	});
	try {
		return work();
	} finally {
		limited.mockRestore();
	}
}

describe('a renaming in a circle, read backwards,', () => {
	it.each<Record<string, string>>([
		{ from: 'from', period: 'from' },
		{ from: 'to', to: 'from', period: 'to' },
		{ rfc: 'rfc', period: 'rfc' },
	])('has an end: %j', (names) => {
		const inverted = withLimitedSteps(() => invertNames(names));
		expect([...inverted.keys()].sort()).toEqual(Object.keys(names).sort());
	});
});
