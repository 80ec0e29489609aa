import type { ITriggerFunctions } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { BoundedMap } from '../../shared/utils/boundedMap';
import type { QueryRecord } from '../service/types';
import { leftOut } from '../telling/leftOut';
import { ANY, listed } from './choice';
import { report } from './outage';
import type { TriggerResult } from './result';
import type { Settings } from './settings';
import type { Fate } from './survey';
import { CodedError } from '../../shared/utils/codedError';

type Choosing = Pick<Settings, 'services' | 'statuses' | 'options'>;

/** Whether a record's query type is chosen; undefined if the record does not say which it is. */
function isChosen({ code, operation }: QueryRecord, { services, options }: Choosing) {
	const operations = listed(services);
	const codes = listed(options.otherServices).map((other) => other.toUpperCase());
	if (operations.includes(ANY)) return true;
	if (code === '') return undefined;
	return operations.includes(operation ?? '') || codes.includes(code.toUpperCase());
}

/** What becomes of a query in a state: whether it starts the workflow, by what the operator has chosen. */
export function fateOf({ record, hasStatus }: TriggerResult, choosing: Choosing): Fate {
	const chosen = isChosen(record, choosing);
	if (chosen === false) return 'unwanted';
	const states = listed(choosing.statuses);
	if (!hasStatus || states.includes(record.state)) return 'due';
	if (record.state === 'pending') return 'waits';
	return record.state === 'unknown' ? 'waits' : 'unwanted'; // an unknown word may not be the last one
}

/** Says which results the filter leaves out only because their words are not known; undefined if there are none. */
export function leftOutBy(
	{ services, statuses, options }: Choosing,
	mapping: TaxQueryMapping,
	records: QueryRecord[],
): string | undefined {
	const codes = listed(options.otherServices);
	const chosen = listed(services);
	const operations = chosen.includes(ANY) ? [] : chosen;
	const choice = { operations, states: listed(statuses), codes };
	return leftOut(records, choice, mapping);
}

const MAX_WORDS = 500;
/** Query types and statuses of records that a published trigger has met, and what was reported of them. */
interface Words {
	met: BoundedMap<string, QueryRecord>;
	told: Set<string>;
}
const words = new WeakMap<ITriggerFunctions, Words>();

/** Reports what the filter leaves out so, once for each time that a trigger is published. */
export function reportLeftOut(
	context: ITriggerFunctions,
	choosing: Choosing,
	mapping: TaxQueryMapping,
	records: QueryRecord[],
): void {
	const { met, told } = words.get(context) ?? { met: new BoundedMap(MAX_WORDS), told: new Set() };
	words.set(context, { met, told });
	const before = met.size;
	for (const record of records) {
		const key = `${record.code}\n${record.status ?? ''}`;
		if (!met.has(key)) met.set(key, record);
	}
	if (met.size === before) return;
	const what = leftOutBy(choosing, mapping, [...met.values()]);
	if (!what || told.has(what)) return;
	told.add(what);
	report(context, new CodedError('leftOut', what));
}
