import type { Operation } from '../../shared/operations/operation';
import { joinSentences } from '../../shared/utils/joinSentences';
import { paidQueryOperation } from '../submission/operation';
import { USUAL_PRICE_TEXT } from '../submission/options';
import type { PaidQueryDefinition } from '../request/queryRequest';

/** A query that costs money, with the texts that the panel and an AI agent's tool share. */
interface Billed extends Omit<PaidQueryDefinition, 'action' | 'description' | 'tool'> {
	/** The action, where it is not the name in sentence case. */
	action?: string;
	does: string;
	takes: string;
}

/** The panel says when the result comes and what it costs, the tool what it takes. */
export function defineBilledQueryOperation({ does, takes, ...query }: Billed): Operation {
	const { queryType, needsProfile, price = USUAL_PRICE_TEXT } = query;
	const what = joinSentences(does, needsProfile ? 'It needs a tax profile' : '');
	return paidQueryOperation({
		action: query.name.replace(/ [A-Z](?=[a-z])/g, (initial) => initial.toLowerCase()),
		...query,
		tool: joinSentences(what, takes),
		description: joinSentences(
			what,
			queryType.isImmediate ? 'The result comes at once' : '',
			queryType.isDelivered ? 'The result follows later' : '',
			`Costs ${price}`,
		),
	});
}
