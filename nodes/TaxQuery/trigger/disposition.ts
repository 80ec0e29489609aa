import type { ITriggerFunctions } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { stateOfProcess } from '../../shared/processState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { isUnfinishedState } from '../client/queryRecord';
import type { QueryRecord } from '../client/types';
import { describeExcluded } from '../errors/excludedQueries';
import type { Choice } from './filterSettings';
import { reportHourly } from './outage';
import type { TriggerResult } from './triggerResult';
import type { Fate } from './planPoll';
import { CodedError } from '../../shared/utils/codedError';

/** Whether a record's query type is chosen; undefined if the record does not say which it is. */
function isChosen({ code, operation }: QueryRecord, { isAny, operations, codes }: Choice) {
	if (isAny) return true;
	if (code === '') return undefined;
	const name = code.toUpperCase();
	return (
		operations.includes(operation ?? '') || codes.some((other) => other.toUpperCase() === name)
	);
}

/** What becomes of a query in a state: whether it starts the workflow, by what the operator has chosen. */
export function fateOf({ record, hasStatus }: TriggerResult, choice: Choice): Fate {
	if (isChosen(record, choice) === false) return 'unwanted';
	if (!hasStatus || choice.states.includes(record.state)) return 'due';
	return isUnfinishedState(record.state) ? 'waits' : 'unwanted'; // an unknown word may not be the last one
}

const MAX_WORDS = 500;
/** A record of each query type and status that a published trigger has met. */
const newMet = () => new WeakMap<ITriggerFunctions, BoundedMap<string, QueryRecord>>();

/** Reports what the filter leaves out only because its words are not known, as often as there are more of them. */
export function reportLeftOut(
	context: ITriggerFunctions,
	choice: Choice,
	mapping: TaxQueryMapping,
	records: QueryRecord[],
): void {
	const met = stateOfProcess().shared(newMet);
	const known = met.get(context) ?? new BoundedMap(MAX_WORDS);
	met.set(context, known);
	const before = known.size;
	for (const record of records) known.set(`${record.code}\n${record.status ?? ''}`, record);
	if (known.size === before) return; // nothing new, or too many to say
	const what = describeExcluded([...known.values()], choice, mapping);
	if (what) reportHourly(context, new CodedError('leftOut', what), what);
}
