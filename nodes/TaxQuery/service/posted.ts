import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Result } from '../../shared/transport/result';
import { isFilled, isObject } from '../../shared/utils/json';
import { readAcknowledged, readRecord, stateOf } from './record';
import type { Doubt, Posted, Query } from './types';

/**
 * What the response to a paid POST says of its queries. Accepted is what the document shows: a record (TQ §2.1), an
 * acknowledgement (TQ §2.5), several under `results` (TQ §4.11), or the only one of these that is wrapped. Whatever else
 * a 2xx holds leaves open whether the query was accepted.
 */
export function readPosted(result: Result, mapping: TaxQueryMapping): Posted {
	if (!result.ok) {
		const { problem, accepted } = result;
		if (accepted === 'no') return { kind: 'refused', problem };
		return { kind: 'unsure', why: doubtOf(problem.kind), problem };
	}
	const { body } = result;
	const queries = readQueries(body, mapping) ?? onlyWrapped(body, mapping);
	if (queries) return { kind: 'accepted', queries };
	const [only, another] = [body].flat();
	const isOne = another === undefined && isFilled(only);
	return isOne
		? { kind: 'unsure', why: 'noId', body: only }
		: { kind: 'unsure', why: 'unreadable' };
}

function doubtOf(kind: string): Doubt {
	if (kind === 'network' || kind === 'cancelled') return 'noAnswer';
	return kind === 'body' || kind === 'shape' ? 'unreadable' : 'status';
}

/** The queries that an object is about by itself. */
function readQueries(body: unknown, mapping: TaxQueryMapping): Query[] | undefined {
	if (!isObject(body)) return undefined;
	if (Array.isArray(body.results)) {
		const { message } = body; // TQ §4.11: it stands once, beside the queries that it is about
		const rows = body.results
			.filter(isObject)
			.map((row) => ({ ...(message !== undefined && { message }), ...row }));
		const queries = rows.map((row) => readQuery(row, mapping)).filter((one) => one !== undefined);
		return queries.length > 0 ? queries : undefined;
	}
	const query = readQuery(body, mapping);
	return query && [query];
}

/** A record tells its query type or a response; what has the ID alone, whatever its status, is an acknowledgement. */
function readQuery(body: IDataObject, mapping: TaxQueryMapping): Query | undefined {
	const isStored =
		'service' in body || 'response' in body || stateOf(body.status, mapping) === 'failed';
	return (isStored ? readRecord(body, mapping) : undefined) ?? readAcknowledged(body, mapping);
}

function onlyWrapped(body: unknown, mapping: TaxQueryMapping): Query[] | undefined {
	const inside = Array.isArray(body) ? (body.length === 1 ? body : []) : Object.values(body ?? {});
	const found = inside.map((one) => readQueries(one, mapping)).filter((one) => one !== undefined);
	return found.length === 1 ? found[0] : undefined;
}
