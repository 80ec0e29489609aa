import type { Behaviour, ReservedIdentity } from '../../data/people/reserved';
import { HttpError } from '../../plugins/errors';
import type { PlannedOutcome } from './queryStore';

/** They are of sales to the public, and of residents abroad. */
const GENERIC_RFCS = ['XAXX010101000', 'XEXX010101000'];
const NOT_FOUND = 'No taxpayer was found for it';

/** The words of a script, and what each makes of a query. */
const BY_NAME: Record<string, Behaviour> = {
	SUCCESS: 'success',
	SLOW: 'slow',
	PENDING: 'pending',
	FAIL: 'failed',
	FAILED: 'failed',
	NOT_FOUND: 'notFound',
};
export const OUTCOME_NAMES = Object.keys(BY_NAME);

/** Each RFC or CURP has the outcomes of the next queries about it, one word each. */
type Scripts = Record<string, string[]>;

/** A script decides, else the reserved identity, else there is a result. */
export class Outcomes {
	private scripts: Scripts = {};

	constructor(private readonly reserved: ReservedIdentity[]) {}

	/** Replaces the scripts; what they have not used up yet is gone. */
	load(scripts: Scripts): void {
		this.scripts = structuredClone(scripts);
	}

	save(): Scripts {
		return this.scripts;
	}

	/** `response` makes the result, which comes later. */
	later(identifier: string, response: () => object, state = {}): PlannedOutcome {
		return this.make(this.behaviourOf(identifier), response, state);
	}

	/** The query responds at once. An unknown person is refused with 404, and not billed. */
	now(identifier: string, response: () => object, state = {}): PlannedOutcome {
		const behaviour = this.behaviourOf(identifier);
		if (behaviour === 'notFound') throw new HttpError(404, NOT_FOUND);
		return this.make(behaviour, response, state);
	}

	private behaviourOf(identifier: string): Behaviour {
		const word = this.scripts[identifier]?.shift();
		if (word !== undefined) return BY_NAME[word];
		if (GENERIC_RFCS.includes(identifier)) return 'notFound';
		const found = this.reserved.find(({ rfc, curp, companyRfc }) =>
			[rfc, curp, companyRfc].includes(identifier),
		);
		return found?.behaviour ?? 'success';
	}

	private make(behaviour: Behaviour, response: () => object, state: object): PlannedOutcome {
		if (behaviour === 'notFound') return failed('NOT_FOUND', NOT_FOUND);
		if (behaviour === 'failed') return failed('FAILED', 'The source did not answer');
		const when = { pending: 'never', slow: 'slow', success: 'usual' } as const;
		return {
			status: 'SUCCESS',
			response: { ...response() },
			state: { ...state },
			when: when[behaviour],
		};
	}
}

const failed = (status: PlannedOutcome['status'], message: string): PlannedOutcome => ({
	status,
	response: { message },
	state: {},
	when: 'usual',
});
