type Row = Record<string, unknown>;

/** The API Mapping that Connection → Diagnose proposes, in its last row. */
export const proposedMappingIn = (rows: Row[]): unknown => JSON.parse(String(rows.at(-1)?.seen));

/** Names of the checks that ask for a change; neither the summary nor the proposal is a check. */
export const namesOfChecksNeedingChange = (rows: Row[]): unknown[] =>
	rows
		.slice(1, -1)
		.filter(({ result }) => result === 'Change needed')
		.map(({ check }) => check);
