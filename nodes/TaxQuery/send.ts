import { DateTime } from 'luxon';
import { NodeApiError, type IDataObject } from 'n8n-workflow';
import type { Item } from '../shared/operation';
import { isObject, queryIdOf } from '../shared/queries';
import { Gate } from './gate';
import { createdAt, Listing, newest, type Wanted } from './history';
import type { QueryKind } from './kinds';
import type { readOptions } from './options';
import { Spending } from './spending';

/** A query to be paid for, ready to be sent. */
export interface Asked {
	kind: QueryKind;
	body: IDataObject;
	secrets: string[];
	/** One for each query that it makes. */
	wanted: Wanted[];
	/** The same for items that ask the same. */
	key: string;
	options: ReturnType<typeof readOptions>;
}

/** What the service answered or was found to have, one for each query. */
export interface Accepted {
	/** Records (§2.1) or acknowledgements (§2.5). */
	queries: IDataObject[];
	/** It was found among the queries made, after an answer was lost. */
	recovered?: true;
}

/** How long to wait before each look among the queries made: what was just accepted may not be listed yet. */
const LOOKS_MS = [0, 1000, 3000];
/** The service's clock may be behind ours by so much. */
const CLOCK_MS = 2000;
const MAX_SENDS = 3;

/** Ids of queries that an item of this process has got, oldest first: no other item is given them. */
const claimed = new Set<string>();
const KEPT = 10_000;

function claim(id: string): void {
	claimed.add(id);
	if (claimed.size > KEPT) claimed.delete(claimed.values().next().value as string);
}

/** What the items of one run share, so that none takes another one's query. */
export class Desk {
	readonly spending = new Spending();
	/** Keys of what the items of this run ask. */
	readonly asked = new Set<string>();
	/** What was accepted in this run, by the key of what was asked. */
	readonly accepted = new Map<string, IDataObject[]>();
	private readonly listing = new Listing();
	private readonly gates = new Map<string, Gate>();

	/** Runs work of this key while no other item of the same key sends, looks or does such work. */
	async alone<T>({ key }: Asked, work: () => Promise<T>): Promise<T> {
		return await this.gateOf(`alone ${key}`).alone(work);
	}

	/**
	 * Sends one query, so that it is paid for once: if nobody knows whether it was accepted, it is looked for among the
	 * queries made, while no other item that asks the same is on its way. Throws a NodeApiError that says so if it is
	 * not there (unless the operator wants it sent again).
	 */
	async send(item: Item, asked: Asked): Promise<Accepted> {
		const { kind, body, secrets, wanted, options } = asked;
		const gate = this.gateOf(asked.key);
		for (let attempt = 1; ; attempt++) {
			const outcome = await gate.pass(async () => {
				this.spending.send(item.execution, wanted.length, options.maxQueries);
				const since = Date.now();
				return await item.request({ method: 'POST', path: kind.path, body, secrets }).then(
					(answer) => this.take(asked, { queries: readAnswer(answer) }),
					(error: unknown) => ({ error, since }),
				);
			});
			if ('queries' in outcome) return outcome;

			const { error, since } = outcome;
			if (!(error instanceof NodeApiError)) throw error;
			if (!error.context.mayHaveBeenAccepted) throw kind.needsProfile ? withProfile(error) : error;
			const found = await gate.alone(async () => await this.lookFor(item, asked, since));
			if (typeof found !== 'string') return found;
			if (!options.sendAgain || attempt >= MAX_SENDS) throw unsure(error, kind, since, found);
		}
	}

	private gateOf(key: string): Gate {
		const gate = this.gates.get(key) ?? new Gate();
		this.gates.set(key, gate);
		return gate;
	}

	private take({ key }: Asked, accepted: Accepted): Accepted {
		for (const query of accepted.queries) {
			const id = queryIdOf(query);
			if (id) claim(id);
		}
		this.accepted.set(key, accepted.queries);
		return accepted;
	}

	/** The queries that were accepted since then; or, if not all of them are there, what is to be said of it. */
	private async lookFor(item: Item, asked: Asked, since: number): Promise<Accepted | string> {
		const { wanted, options } = asked;
		let said = '';
		for (const pause of LOOKS_MS) {
			await item.wait(pause);
			const outcome = await this.listing.read(item, options.listParameters).then(
				(records) => ({ records }),
				({ message }: Error) => ({ message }),
			);
			if ('message' in outcome) {
				said = `${outcome.message}.`;
				continue;
			}
			const queries = wanted.map((one) =>
				newest(outcome.records, one, (record) => isFree(record, since)),
			);
			const found = queries.filter((query) => query !== undefined);
			if (found.length === wanted.length) {
				return this.take(asked, { queries: found, recovered: true });
			}
			said = 'It was looked for among the queries made (GET /query) and not found.';
			if (found.length > 0) {
				said = `Of its ${wanted.length} queries these were found: ${found.map(queryIdOf).join(', ')}.`;
			}
		}
		return said;
	}
}

const isFree = (record: IDataObject, since: number) =>
	createdAt(record) >= since - CLOCK_MS && !claimed.has(String(queryIdOf(record)));

/** §2.5, §4.11; where no response is shown (§4.8, §4.9), what came. */
function readAnswer(answer: IDataObject | IDataObject[]): IDataObject[] {
	const body = Array.isArray(answer) ? (answer[0] ?? {}) : answer;
	if (Array.isArray(body.results)) return body.results.filter(isObject);
	const isBare = queryIdOf(body) === undefined && isObject(body.data);
	return [isBare ? (body.data as IDataObject) : body];
}

function unsure(error: NodeApiError, { name }: QueryKind, since: number, said: string) {
	const at = DateTime.fromMillis(since).toUTC().toFormat("yyyy-MM-dd HH:mm:ss 'UTC'");
	error.message = `The query may have been accepted and billed: ${error.message}`;
	error.description = `It was sent at ${at}. ${said} Before you send it again, look for "${name}" created since then with Query → Get Many or in the service.`;
	return error;
}

/** The document shows no error for a missing tax profile, so it is told by its status or words. */
function withProfile(error: NodeApiError): NodeApiError {
	const { httpCode, description } = error;
	const isTold =
		/profile|perfil/i.test(description ?? '') || ['409', '412'].includes(httpCode ?? '');
	if (!isTold && !['400', '403', '404', '422'].includes(httpCode ?? '')) return error;
	if (isTold) error.message = 'There is no tax profile for the RFC of this item';
	const todo = 'Run Tax Authority → Create Tax Profile for this RFC first, with its CIEC.';
	error.description = isTold
		? `${todo} ${description}`
		: `${description} If it has no tax profile yet: ${todo}`;
	return error;
}
