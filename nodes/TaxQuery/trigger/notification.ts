import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { QueryRecord } from '../client/types';
import {
	envelopeOf,
	lacksResult,
	withResponse,
	type Envelope,
	type Origin,
	type TriggerResult,
} from './triggerResult';

/** What a webhook call said of a query. */
export interface Asked {
	/** The call proved where it comes from. */
	isProved: boolean;
	/** It was asked for before, and the list does not show it still. */
	isAgain?: true;
	/** It brought a response; `detail` is kept only where it may be emitted. */
	hasResponse: boolean;
	detail?: QueryRecord;
	event?: string;
	/** Only of a call that is proved, and where it is wanted. */
	envelope?: Envelope;
}

/** What two calls said of a query: what proves more, or brings the result, else what was said first. */
export function merged(known: Asked, said: Asked): Asked {
	const worth = ({ isProved, detail }: Asked) =>
		2 * Number(isProved) + Number(detail !== undefined);
	const [newer, older] = said.isAgain ? [known, said] : [said, known];
	return {
		...(worth(said) > worth(known) ? said : known),
		hasResponse: said.hasResponse || known.hasResponse,
		isAgain: said.isAgain ?? known.isAgain,
		envelope: newer.envelope ?? older.envelope,
	};
}

/** The record, with the response of the webhook call where it has none and that may be emitted. */
export function confirmed(
	found: TriggerResult,
	said: Pick<Asked, 'detail' | 'event' | 'envelope'> | undefined,
	mapping: TaxQueryMapping,
): { result: TriggerResult; origin: Origin } {
	const around = envelopeOf(found, said?.envelope);
	if (!lacksResult(found) || !said?.detail) {
		return { result: found, origin: { confirmed: true, ...around } };
	}
	const result = withResponse(found, said.detail, mapping);
	return { result, origin: { confirmed: 'status', event: said.event, ...around } };
}
