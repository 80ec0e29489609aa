import { sleep } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { msLeft } from '../../shared/utils/time';
import { readById, type Read } from '../deliveries/byId';
import type { ResultWatcher } from '../deliveries/watcher';
import { stateOf } from '../queries';
import type { QueryConnection } from '../queries/client';
import type { Announced } from './payload';

/** What is kept of a delivery that is not believed; its records may be large. */
export interface Named {
	queryId: string;
	isSaidPending: boolean;
}

export const namedIn = (announced: Announced[], mapping: TaxQueryMapping): Named[] =>
	announced.map(({ queryId, record }) => ({
		queryId,
		isSaidPending: record.status !== undefined && stateOf(record, mapping) === 'pending',
	}));

/** Whether a delivery holds neither a response nor a status by which there is none. */
export const isWithoutResult = ({ record }: Announced, mapping: TaxQueryMapping): boolean =>
	(record.response ?? undefined) === undefined &&
	(!record.status || !['pending', 'failed'].includes(stateOf(record, mapping)));

export const isIdAlone = ({ record: { status, response } }: Announced): boolean =>
	(status ?? response ?? undefined) === undefined;

const REST_MS = 250;

/** Whether it holds more than what a query is called, was asked and came to. */
export const holdsResult = ({ record }: Announced): boolean =>
	Object.entries(record).some(
		([name, value]) => name !== 'query' && typeof value === 'object' && value !== null,
	);

/**
 * What became of reading each ID; so long those are waited for that are too many for a second, and while the trigger is
 * published. Throws if none can be asked for.
 */
export async function readNamed(
	node: string,
	connection: QueryConnection,
	named: Named[],
	patienceMs: number,
	watcher?: Pick<ResultWatcher, 'mustBeOpen'>,
): Promise<Map<string, Read>> {
	const since = Date.now();
	const read = new Map<string, Read>();
	for (let left = named.map(({ queryId }) => queryId); left.length > 0; await sleep(REST_MS)) {
		watcher?.mustBeOpen();
		for (const [id, what] of await readById(node, connection, left)) read.set(id, what);
		left = left.filter((id) => read.get(id) === 'later');
		if (left.length === 0 || msLeft(since, patienceMs) <= 0) break;
	}
	return read;
}
