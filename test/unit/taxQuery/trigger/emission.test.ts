import { decideEmission } from '../../../../nodes/TaxQuery/trigger/decideEmission';

const flags = [
	'isRunning',
	'isInterrupted',
	'isRestart',
	'hasChecks',
	'isDone',
	'canStart',
] as const;
type State = Parameters<typeof decideEmission>[0];

const states = [...Array(2 ** flags.length).keys()].map(
	(bits) =>
		Object.fromEntries(
			flags.map((flag, at) => [flag, Math.floor(bits / 2 ** at) % 2 === 1]),
		) as unknown as State,
);

/** The first row that fits decides; a flag that a row does not name may be either. */
const TABLE: Array<[row: Partial<State>, decision: ReturnType<typeof decideEmission>]> = [
	[{ isRunning: true }, 'join'],
	[{ isRestart: true, isInterrupted: false }, 'duplicate'],
	[{ isRestart: true, canStart: true }, 'emit'],
	[{ isRestart: true, canStart: false }, 'refuse'],
	[{ isInterrupted: true, hasChecks: true }, 'duplicate'],
	[{ isDone: true }, 'duplicate'],
	[{ canStart: true }, 'emit'],
	[{ canStart: false }, 'refuse'],
];

const decisionFor = (state: State) => {
	const fits = ([row]: (typeof TABLE)[number]) =>
		flags.every((flag) => row[flag] === undefined || row[flag] === state[flag]);
	return TABLE.find(fits)?.[1];
};

it('decides by the table what becomes of a result, for each of 64 states', () => {
	expect(states.map(decideEmission)).toEqual(states.map(decisionFor));
	expect(states).toHaveLength(64);
});
