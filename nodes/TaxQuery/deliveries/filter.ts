import type { ITriggerFunctions } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { isOpen } from '../service/record';
import type { QueryRecord } from '../service/types';
import { leftOut } from '../telling/leftOut';
import type { Choice } from './choice';
import { report } from './outage';
import type { TriggerResult } from './result';
import type { Fate } from './survey';
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
	return isOpen(record.state) ? 'waits' : 'unwanted'; // an unknown word may not be the last one
}

const MAX_WORDS = 500;
/** Query types and statuses of records that a published trigger has met, and what was reported of them. */
interface Words {
	met: BoundedMap<string, QueryRecord>;
	told: Set<string>;
}
const words = new WeakMap<ITriggerFunctions, Words>();

/** Reports what the filter leaves out only because its words are not known, once for each time that a trigger is published. */
export function reportLeftOut(
	context: ITriggerFunctions,
	choice: Choice,
	mapping: TaxQueryMapping,
	records: QueryRecord[],
): void {
	const { met, told } = words.get(context) ?? { met: new BoundedMap(MAX_WORDS), told: new Set() };
	words.set(context, { met, told });
	const before = met.size;
	for (const record of records) met.set(`${record.code}\n${record.status ?? ''}`, record);
	if (met.size === before) return; // nothing new, or too many to say
	const what = leftOut([...met.values()], choice, mapping);
	if (!what || told.has(what)) return;
	told.add(what);
	report(context, new CodedError('leftOut', what));
}
