import { UserError, type IDataObject } from 'n8n-workflow';
import { redact } from '../shared/errors';
import { isObject, queryIdOf, simplifyRecord, stateOf } from '../shared/queries';
import type { Warning } from './check';
import type { QueryKind } from './kinds';

/** What became of a query. */
export interface Outcome {
	/** A record (§2.1) or an acknowledgement (§2.5). */
	query: IDataObject;
	recovered?: true;
	/** It was not paid for again; this old. */
	reusedAgeMs?: number;
	/** There was no result when the time to wait was over; why the last look failed, if it did. */
	overdue?: { problem?: string };
}

/** How an item's outcomes come out. */
export interface Shape {
	kind: QueryKind;
	service: string;
	/** What was asked, for an acknowledgement does not say it. */
	echo: IDataObject;
	isSimple: boolean;
	externalReference: unknown;
	warnings: Warning[];
	secrets: string[];
}

/** One item for each query. Throws a UserError if there is a result of none and never will be. */
export function output(shape: Shape, outcomes: Outcome[]): IDataObject[] {
	if (outcomes.length > 0 && outcomes.every(({ query }) => stateOf(query) === 'failed')) {
		throw failure(shape.kind, outcomes);
	}
	return outcomes.map((outcome) => {
		const query = withoutSecrets(outcome.query, shape.secrets);
		const json = shape.isSimple ? simplified(query, shape) : query;
		return { ...json, ...marksOf({ ...outcome, query }, shape) };
	});
}

function simplified(query: IDataObject, { service, echo, kind }: Shape): IDataObject {
	if ('status' in query && 'service' in query) return simplifyRecord(query);
	const queryId = queryIdOf(query);
	const isAcknowledged = queryId !== undefined && !kind.isSynchronous;
	return {
		...(queryId !== undefined && { queryId }),
		service,
		...(isAcknowledged && { pending: true }),
		...echo,
		...query,
	};
}

/** What the node knows beside what the service said. */
function marksOf({ query, recovered, reusedAgeMs, overdue }: Outcome, shape: Shape): IDataObject {
	const { externalReference, warnings } = shape;
	return {
		...(externalReference !== undefined && {
			externalReference: externalReference as IDataObject[string],
		}),
		...(reusedAgeMs !== undefined && {
			reused: true,
			ageHours: Math.round((100 * reusedAgeMs) / 3_600_000) / 100,
		}),
		...(recovered && { recovered }),
		...(overdue && { queryId: queryIdOf(query), pending: true }),
		...(overdue?.problem !== undefined && { lastProblem: overdue.problem }),
		...(warnings.length > 0 && { warnings }),
	};
}

function withoutSecrets(query: IDataObject, secrets: string[]): IDataObject {
	if (secrets.length === 0) return query;
	return JSON.parse(redact(JSON.stringify(query), secrets)) as IDataObject;
}

function failure({ name }: QueryKind, outcomes: Outcome[]): UserError {
	const [{ query }] = outcomes;
	const said = isObject(query.response) ? query.response.message : undefined;
	const ids = outcomes.map((outcome) => queryIdOf(outcome.query) ?? 'unknown').join(', ');
	return new UserError(`The query ended without a result: its status is ${String(query.status)}`, {
		description: `${name}, query ID ${ids}.${typeof said === 'string' ? ` The service says: "${said}"` : ''} Check the fields of this item; asking again costs another query.`,
	});
}
