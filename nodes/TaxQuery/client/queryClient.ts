import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Prices } from '../../shared/credentials/prices';
import type { Item } from '../../shared/operations/operation';
import type { Connection } from '../../shared/http/connection';
import type { ServiceRequest } from '../../shared/http/sendOnce';
import { RequestError, type RequestResult } from '../../shared/http/requestError';
import { taxQuery } from '../../shared/http/services';
import { isNotFound, type ServiceMessage } from '../../shared/errors/requestProblem';
import { reportsFailure } from '../../shared/http/rows';
import { pathOf } from './names';
import { findAcceptedQueries, soleDefined, parseRecord, findMatchingId } from './record';
import type { QueryId, QueryRecord } from './model';

/** The query service as its readers see it. `request` resolves with the body of a response, or throws. */
export interface QueryClient {
	mapping: TaxQueryMapping;
	/** A hash of the base URL and the client ID or token. It is the key of what this process remembers of them. */
	clientKey: string;
	/** A hash of the base URL and the client ID. It stays equal when a token is replaced. */
	accountKey: string;
	/** A fingerprint of what is secret; only who has the credential can compute it. */
	seal(text: string): string;
	/** What queries cost; undefined if the operator has not entered it. Throws a UserError if a price is no amount. */
	prices(): Prices | undefined;
	/** The service's clock is ahead of this machine's by so many milliseconds. */
	clockOffsetMs(): number;
	request(request: ServiceRequest): Promise<IDataObject | IDataObject[]>;
	serviceMessage(body: unknown, secrets?: string[]): ServiceMessage;
}

export type ReadOptions = Pick<ServiceRequest, 'timeoutMs' | 'retryBudgetMs' | 'beforeSend'>;

/** Requests have the item's timeout, and errors its index. */
export async function itemClient(item: Item): Promise<QueryClient> {
	const connection = (await item.connection()) as Connection<TaxQueryMapping>;
	return { ...connection, request: item.request };
}

/** Continues when another item fails, until the execution is cancelled. */
export async function detachedClient(item: Item): Promise<QueryClient> {
	const signal = item.run.cancelled ?? new AbortController().signal;
	const request = async (options: ServiceRequest) => await item.request({ ...options, signal });
	return { ...(await itemClient(item)), request };
}

/** The response was read and is not `expected`; `keys` of the API Mapping say where that is. */
export const shapeError = (
	expected: string,
	keys: string[],
	words: ServiceMessage = {},
): RequestError =>
	new RequestError(taxQuery, { kind: 'shape', expected, ...words }, 'no', { mappingKeys: keys });

/**
 * Reads a query (TQ §4.13); the record has the ID as it was requested. Throws a RequestError if the request fails, or the
 * response is no record, or another query's.
 */
export async function getQuery(
	{ mapping, request, serviceMessage }: QueryClient,
	id: string,
	how: ReadOptions = {},
): Promise<QueryRecord> {
	const template = pathOf('get', '/query/{queryId}', mapping);
	const path = template.replace('{queryId}', () => encodeURIComponent(id));
	const recordRequest = { method: 'GET' as const, path, pathKeys: GET_PATH_MAPPING_KEYS };
	const body = await request({ ...recordRequest, emptyAs: 'not found', ...how });
	const record = onlyRecord(body, mapping);
	if (!record)
		throw shapeError(
			'a query: an object with its ID',
			['paths.get', 'record._id'],
			serviceMessage(body),
		);
	if (!findMatchingId(record.raw, id)) throw shapeError('the requested query', ['paths.get']);
	return { ...record, id: id as QueryId };
}

export const GET_PATH_MAPPING_KEYS = ['paths.get'];

/** Resolves with undefined if the service has nothing under that ID. */
export async function findQueryById(
	client: QueryClient,
	id: string,
	how: ReadOptions = {},
): Promise<QueryRecord | undefined> {
	return await getQuery(client, id, how).catch((error: unknown) => {
		if (error instanceof RequestError && isNotFound(error.problem)) return undefined;
		throw error as Error;
	});
}

/** A record by itself, or the only one that is wrapped. */
function onlyRecord(body: object, mapping: TaxQueryMapping): QueryRecord | undefined {
	return (
		parseRecord(body, mapping) ??
		soleDefined(Object.values(body).map((one) => parseRecord(one, mapping)))
	);
}

/**
 * Sends a billed query of an item. A 2xx that reports a failure and has no query ID leaves open whether the query was
 * accepted. Throws where it was never sent: no token came, or the run was stopped.
 */
export async function sendBilledPost(item: Item, request: ServiceRequest): Promise<RequestResult> {
	const result = await item.tryRequest(request);
	if (!result.ok && isUnsent(result)) throw new RequestError(taxQuery, result.problem);
	if (!result.ok || !reportsFailure(result.body)) return result;
	const { mapping, serviceMessage } = await itemClient(item);
	const { status, body } = result;
	if (findAcceptedQueries(body, mapping)) return result;
	const problem = { kind: 'failure', status, ...serviceMessage(body, request.secrets) } as const;
	return { ok: false, problem, accepted: 'unknown' };
}

const isUnsent = ({ problem, accepted }: Extract<RequestResult, { ok: false }>): boolean =>
	accepted === 'no' && (problem.kind === 'login' || problem.kind === 'cancelled');
