import type { ITriggerFunctions } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { getProcessState } from '../../shared/processState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { mayStillEnd } from '../client/record';
import type { QueryRecord } from '../client/model';
import { describeRecordsExcludedAsUnknown } from '../errors/unknownRecords';
import type { FilterSettings } from './filters';
import { reportFailureHourly } from './errorReporting';
import type { TriggerResult } from './result';
import type { Disposition } from './planPoll';
import { CodedError } from '../../shared/utils/codedError';

/** Is undefined if the record does not say its query type. */
function isChosen({ code, operation }: QueryRecord, { isAny, operations, codes }: FilterSettings) {
	if (isAny) return true;
	if (code === '') return undefined;
	const name = code.toUpperCase();
	return (
		operations.includes(operation ?? '') || codes.some((other) => other.toUpperCase() === name)
	);
}

export function dispositionOf(
	{ record, hasStatus }: TriggerResult,
	choice: FilterSettings,
): Disposition {
	if (isChosen(record, choice) === false) return 'ignore';
	if (!hasStatus || choice.states.includes(record.state)) return 'emit';
	return mayStillEnd(record.state) ? 'wait' : 'ignore'; // an unknown word may not be the last one
}

const MAX_LABELS = 500;
/** A record of each query type and status that a published trigger has met. */
const newSeenLabels = () => new WeakMap<ITriggerFunctions, BoundedMap<string, QueryRecord>>();

/** Reports queries that the filter leaves out only because their labels are unknown, each time that there are more. */
export function reportUnknownRecords(
	context: ITriggerFunctions,
	choice: FilterSettings,
	mapping: TaxQueryMapping,
	records: QueryRecord[],
): void {
	const met = getProcessState().shared(newSeenLabels);
	const known = met.get(context) ?? new BoundedMap(MAX_LABELS);
	met.set(context, known);
	const before = known.size;
	for (const record of records) known.set(`${record.code}\n${record.status ?? ''}`, record);
	if (known.size === before) return; // nothing new, or too many to say
	const what = describeRecordsExcludedAsUnknown([...known.values()], choice, mapping);
	if (what) reportFailureHourly(context, new CodedError('leftOut', what), what);
}
