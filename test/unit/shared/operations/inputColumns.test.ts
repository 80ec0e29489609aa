import { mergeInputColumns } from '../../../../nodes/shared/operations/inputColumns';

const isRequested = (name: string) => name === 'queryId';

describe('an earlier state of a query in the input', () => {
	const row = { queryId: 'abcdef', outcome: 'result', message: 'Found' };
	const columnsBeside = (queryId: string) =>
		mergeInputColumns({
			row,
			input: { queryId, outcome: 'pending', message: 'Accepted' },
			own: new Set<string>(),
			isRequested,
		});

	it('is replaced by the row, though its ID is in capitals', () => {
		expect(columnsBeside('ABCDEF')).toEqual(row);
	});

	it('has columns of its own beside the row of another query', () => {
		expect(columnsBeside('other')).toEqual({
			...{ inputOutcome: 'pending', inputMessage: 'Accepted' },
			...row,
		});
	});
});

describe('an input that was not sent', () => {
	const merged = (outcome: string) =>
		mergeInputColumns({
			row: { outcome: 'result', reason: null },
			input: { outcome, reason: 'Why', ready: 'mine' },
			own: new Set<string>(),
			isRequested,
		});

	it.each([
		['notSent', { ready: 'mine' }],
		['warning', {}],
	])("gives way with its account, after %s; a column 'ready' only after Check", (outcome, kept) => {
		expect(merged(outcome)).toEqual({ ...kept, outcome: 'result', reason: null });
	});
});
