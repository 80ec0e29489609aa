import { invertNames } from '../../../../nodes/shared/utils/renaming';

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
