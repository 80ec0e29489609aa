import { Refusal } from '../errors';
import type { Behaviour, ReservedIdentity } from '../people/reserved';
import type { Outcome } from './store';

/** Nobody in particular: sales to the public, and residents abroad. */
const GENERIC_RFCS = ['XAXX010101000', 'XEXX010101000'];
const NOT_FOUND = 'No taxpayer was found for it';

const failed = (message: string): Outcome => ({
	status: 'FAILED',
	response: { message },
	state: {},
});

/** Tells how queries end: with what `response` makes, or as the reserved identity that was asked for does. */
export function outcomesFor(reserved: ReservedIdentity[]) {
	function behaviourOf(identifier: string): Behaviour {
		if (GENERIC_RFCS.includes(identifier)) return 'notFound';
		const found = reserved.find(({ rfc, curp, companyRfc }) =>
			[rfc, curp, companyRfc].includes(identifier),
		);
		return found?.behaviour ?? 'success';
	}

	function later(identifier: string, response: () => object, state = {}): Outcome {
		const behaviour = behaviourOf(identifier);
		if (behaviour === 'notFound') return failed(NOT_FOUND);
		if (behaviour === 'failed') return failed('The source did not answer');
		if (behaviour === 'pending') return { status: 'PENDING', response: {}, state: {} };
		return { status: 'SUCCESS', response: { ...response() }, state, slow: behaviour === 'slow' };
	}

	/** The same for a query that answers at once: what cannot be found is refused with 404, and not billed. */
	function now(identifier: string, response: () => object): Outcome {
		if (behaviourOf(identifier) === 'notFound') throw new Refusal(404, NOT_FOUND);
		return later(identifier, response);
	}

	return { now, later };
}
