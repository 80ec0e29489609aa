import { splitInputRowByFile } from '../../../nodes/CreditProfile/resources/downloadSource';

const file = { id: 7, url: 'https://files.example/ine.pdf' };
const unknown = { type: 'Reports', association: { id: 3 } };

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
