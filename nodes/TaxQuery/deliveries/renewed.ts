import { createHash } from 'node:crypto';
import type { ITriggerFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msLeft } from '../../shared/utils/time';
import { queryIdOf } from '../queries';
import { nodeKey } from './emitter';
import { report } from './outage';
import type { Result } from './result';

/** So often, within so long, one result is started under different dates. */
const MAX_STARTS = 3;
const WITHIN_MS = 3_600_000;
const MAX_RESULTS = 5_000;
const MAX_NODES = 500;

/** When which deliveryIds were started, by node, query, state and response. */
const starts = new BoundedMap<string, Map<string, number>>(MAX_RESULTS);
const toldAt = new BoundedMap<string, number>(MAX_NODES);

/**
 * Whether a result was started often enough that differs in nothing but its date: a service that renews the date each
 * time that a query is read or listed would start executions without end. It is told once an hour.
 */
export function isOnlyRenewed(context: ITriggerFunctions, result: Result): boolean {
	const node = nodeKey(context);
	const id = queryIdOf(result.record) ?? '';
	const what = JSON.stringify([node, id, result.state, result.record.response]);
	const known = starts.getOrMake(createHash('sha256').update(what).digest('hex'), () => new Map());
	for (const [deliveryId, at] of known) {
		if (msLeft(at, WITHIN_MS) <= 0) known.delete(deliveryId);
	}
	if (known.has(result.deliveryId) || known.size < MAX_STARTS) {
		known.set(result.deliveryId, Date.now());
		return false;
	}
	if (msLeft(toldAt.get(node) ?? -Infinity, WITHIN_MS) <= 0) {
		toldAt.set(node, Date.now());
		const told = `The service gives query ${id} another date again and again, and nothing else changes: after ${MAX_STARTS} executions within an hour it starts no more`;
		report(context, undefined, told);
	}
	return true;
}
