import { splitInputRowByFile } from '../../../nodes/CreditProfile/resources/downloadSource';

const file = { id: 7, url: 'https://files.example/ine.pdf' };
const unknown = { type: 'Reports', association: { id: 3 } };

it.each([
	[
		'as it came',
		{ id: 3, name: 'Loans', activeDataCollectionVersionId: 5, creatorId: 1, tags: [] },
	],
	['simplified', { name: 'Loans', activeDataCollectionVersionId: 5, id: 3 }],
	['simplified, with its active version', { name: 'Loans', activeVersionFields: ['rfc'], id: 3 }],
])('a data collection %s is told from a document, with the step between', (_how, row) => {
	expect(() => splitInputRowByFile(row)).toThrow(
		expect.objectContaining({
			code: 'collection',
			message: 'The incoming item is a data collection, not a document',
			description: expect.stringContaining('Data Document → Get Many') as string,
		}),
	);
});

describe('the files of an incoming document, beside an association of an unknown type', () => {
	it.each([
		['as it came', { associations: [{ type: 'Files', association: file }, unknown] }],
		['simplified', { files: [file], associations: [unknown] }],
	])('are found in a document %s', (_how, row) => {
		const found = splitInputRowByFile({ id: 1, ...row }).map(({ id, associations: [one] }) => ({
			documentId: id,
			association: one.association,
		}));
		expect(found).toEqual([{ documentId: 1, association: file }]);
	});
});

it.each([
	['files', '[{"id":7}]'],
	['files', { id: 7 }],
	['associations', 'x'],
])('is an error where %s of an incoming item is no list: %j', (name, value) => {
	expect(() => splitInputRowByFile({ id: 1, [name]: value })).toThrow(
		expect.objectContaining({ code: 'field.array' }),
	);
});
