import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { EchoIndex } from '../../../../nodes/TaxQuery/queries/echoIndex';

const word = fc.constantFrom('GODE561231GR8', ' gode561231gr8 ', 'EKU9003173C9', '', null, 7, '7');
const echo = fc.dictionary(
	fc.constantFrom('rfc', 'curp', 'from', '__proto__', 'constructor'),
	word,
	{
		maxKeys: 3,
	},
);
const record = fc.record({
	_id: fc.uuid(),
	service: fc.constantFrom('CRF', 'crf', 'RFC', undefined, 9),
	query: echo,
});
const same = (a: unknown, b: unknown) =>
	String(a ?? '')
		.trim()
		.toUpperCase() ===
	String(b ?? '')
		.trim()
		.toUpperCase();

it('finds what a walk over all records finds', () => {
	fc.assert(
		fc.property(fc.array(record), echo, (records, wanted) => {
			const found = new EchoIndex(records as IDataObject[]).find('CRF', wanted);
			const walked = records.filter(
				({ service, query }) =>
					same(service, 'CRF') &&
					Object.entries(wanted).every(([name, value]) =>
						same(Object.hasOwn(query, name) ? query[name] : '', value),
					),
			);
			expect(found).toEqual(walked);
		}),
	);
});

it.each<[unknown, unknown, boolean]>([
	['Gómez', 'GOMEZ', true],
	['Agüero', 'aguero', true],
	['Peña', 'PENA', false],
	[5, '05', true],
	['05', '5', true],
	[5, 50, false],
	['005', 5, false],
	['01234', '1234', false],
])('takes %p and %p for the same: %p', (asked, echoed, isSame) => {
	const index = new EchoIndex([
		{ _id: 'q', service: 'CRF', query: { field: echoed } } as IDataObject,
	]);
	expect(index.find('CRF', { field: asked as string })).toHaveLength(isSame ? 1 : 0);
});

it('looks at each of 20,000 records a few times, not once for each of 20,000 questions', () => {
	let looks = 0;
	const records = Array.from({ length: 20_000 }, (_, index) => ({
		_id: `q${index}`,
		service: 'CRF',
		get query() {
			looks++;
			return { rfc: `R${index}` };
		},
	}));
	const index = new EchoIndex(records);
	const found = records.map(({ _id }, at) => index.find('CRF', { rfc: `R${at}` })[0]._id === _id);
	expect([found.every(Boolean), looks <= 4 * records.length]).toEqual([true, true]);
});
