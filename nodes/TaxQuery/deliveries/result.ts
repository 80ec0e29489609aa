import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { protectionOf } from '../../shared/personalData/personalData';
import type { Connection } from '../../shared/transport/request';
import { queryIdOf, simplifyRecord, stateOf, withoutCiec, type QueryState } from '../queries';
import { textOf } from '../../shared/utils/text';
import { timeOf } from '../../shared/utils/time';
import type { Settings } from './settings';

/** The state in which a query has one result: what must start one execution only. */
export interface Result {
	/** The same for the same query, status and time of update, wherever it was read. */
	deliveryId: string;
	/** Milliseconds since the epoch; undefined if the record has no date. */
	updatedAt: number | undefined;
	record: IDataObject;
	/** By the words of the deployment. */
	state: QueryState;
}

/** A place in the order of results: time of update in milliseconds since the epoch, then deliveryId. */
export type Place = Pick<Result, 'deliveryId' | 'updatedAt'>;

/** Compares results for sorting, oldest first. */
export function byAge(a: Place, b: Place): number {
	const apart = (a.updatedAt ?? 0) - (b.updatedAt ?? 0);
	return apart || (a.deliveryId < b.deliveryId ? -1 : Number(a.deliveryId > b.deliveryId));
}

/** The service's word for a query's state, the same in any case; '' if there is none. */
export const statusOf = ({ status }: IDataObject): string => textOf(status).trim().toUpperCase();

/** Reads a query record (TQ §2.1). Dates may be written in different ways for the same moment. */
export function resultOf(record: IDataObject, mapping: TaxQueryMapping): Result {
	const updatedAt = timeOf(record.updatedAt) ?? timeOf(record.createdAt);
	// the same in a list of whole seconds, and in any case
	const seconds = updatedAt === undefined ? '' : Math.floor(updatedAt / 1000);
	const parts = [queryIdOf(record) ?? '', statusOf(record), String(seconds)];
	return {
		deliveryId: createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32),
		updatedAt,
		record,
		state: stateOf(record, mapping),
	};
}

/** Whether the query has no result yet, as far as the record says. */
export const isPending = ({ state }: Result): boolean => state === 'pending';

/** A row of a list that says nothing of the query's state: it must be read by its ID. */
export const isVague = ({ record: { status, response } }: Result): boolean =>
	(status ?? response ?? undefined) === undefined;

/** What items are made by: the credential's words, and its key of pseudonyms. */
export type Deployment = Pick<Connection<TaxQueryMapping>, 'mapping' | 'pseudonymKey'>;

interface Origin {
	/** It was read from the service itself. */
	confirmed: boolean;
	/** The kind of event that the delivery named. */
	event?: string;
}

/** Makes the item that goes into the workflow. */
export type ItemMaker = (result: Result, origin: Origin) => INodeExecutionData;

/** Makes items as the parameters say. Throws a UserError if pseudonyms are asked for and the credential has no key. */
export function itemMaker(
	{ simplify, personalData }: Pick<Settings, 'simplify' | 'personalData'>,
	{ mapping, pseudonymKey }: Deployment,
): ItemMaker {
	const protection = protectionOf(personalData, pseudonymKey);
	return ({ deliveryId, record: asRead, state }, { confirmed, event }) => {
		const record = withoutCiec(asRead, mapping);
		const json: IDataObject = {
			...(simplify ? simplifyRecord(record, mapping) : record),
			...(state === 'unknown' && { statusUnknown: true }),
			...(event !== undefined && { event }),
		};
		return { json: { ...(protection?.json(json) ?? json), deliveryId, confirmed } };
	};
}

/** Whether its deliveryId is the same wherever it is read. */
export const isDated = ({ updatedAt }: IDataObject): boolean => timeOf(updatedAt) !== undefined;
