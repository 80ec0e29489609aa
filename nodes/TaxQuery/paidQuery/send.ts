import { NodeApiError, UserError, type IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { queryIdOf, stateOf } from '../queries';
import { connectionOf } from '../queries/client';
import { completeRecord } from '../queries/rows';
import { thisMoment } from '../../shared/transport/clockOffset';
import { queryIdSaidIn } from '../../shared/utils/serviceMessage';
import { ambiguousError, isUnsure, readPosted, refusedError } from './answer';
import { unfoundOf, type Accepted, type PreparedQuery, type Unfound } from './definition';
import { findCreated, QueryHistory } from './findQuery';
import { Journal } from './journal';
import { QueryLimit } from './queryLimit';
import { readNamed } from './waitForResult';
import { SharedLocks } from '../../shared/utils/sharedLock';

/** A query that was sent and may have been accepted. */
interface Unsure {
	/** What happened to its answer. */
	error: NodeApiError | UserError;
	/** When it was sent, by our clock. */
	since(): number;
	/** What the service said, which comes out if there is no record of it. */
	word?: IDataObject;
	/** The word tells all that there is to know. */
	isEnough?: boolean;
	/** What an earlier try has sent, where that may differ. */
	sentAs?: string;
}

interface LastAccepted {
	at: number;
	queries: IDataObject[];
}

/** So long after it was accepted a query may be missing in the list. */
const LISTED_MS = 60_000;
/** How long to wait before each look among the queries made: what was just accepted may not be listed yet. */
const LOOKS_MS = [0, 1000, 3000];
const MAX_SENDS = 3;
const KEPT = 10_000;

/** Queries that an item of this process has got, by client and ID: no other item is given them. */
const claimed = new BoundedMap<string, true>(10 * KEPT);
/** Who sends a question and who looks for it; who asks it with Reuse. Both for all executions of this process. */
const sendLocks = new SharedLocks();
const reuseLocks = new SharedLocks();
/** What was accepted last of a question, and since when nobody knows whether one was. */
const lastAccepted = new BoundedMap<string, LastAccepted>(KEPT);
const lastUnsure = new BoundedMap<string, number>(KEPT);

/** What the items of one run share, so that none takes another one's query. */
export class QuerySender {
	readonly history = new QueryHistory();
	readonly journal: Journal;
	readonly limit: QueryLimit;

	/** `onDoubt` is told how many queries of an item may have been accepted and are not found. */
	constructor(
		run: Run,
		private readonly onDoubt: (index: number, count: number) => void,
	) {
		this.journal = new Journal(run);
		this.limit = new QueryLimit(this.journal, this.history);
	}

	/** Sends a query unless another item or execution has got its result since the list of queries was read. */
	async sendOnce(
		item: Item,
		query: PreparedQuery,
		since: number,
	): Promise<Accepted | { reused: IDataObject[] }> {
		return await reuseLocks.exclusive(query.question, async () => {
			const before = lastAccepted.get(query.question);
			if (before && before.at >= since && (await this.isUnlisted(item, since, before))) {
				return { reused: before.queries };
			}
			const unsure = lastUnsure.get(query.question);
			if (unsure !== undefined && unsure >= since) {
				const error = new UserError('an equal query was sent before and had no answer');
				return await this.send(item, query, { error, since: () => unsure });
			}
			await this.limit.plan(item, [query], true); // an equal one may have used up what was planned
			return await this.send(item, query);
		});
	}

	/** What was accepted after the list was read, or shortly before and is not in it yet; with a status that is known. */
	private async isUnlisted(item: Item, since: number, before: LastAccepted): Promise<boolean> {
		const { mapping } = await connectionOf(item);
		if (before.queries.some((query) => stateOf(query, mapping) === 'unknown')) return false;
		const earlierMs = this.history.readAt - before.at;
		if (earlierMs <= 0) return true;
		return earlierMs <= LISTED_MS && !(await this.history.shows(item, since, before.queries));
	}

	/**
	 * Sends one query, so that it is paid for once: if nobody knows whether it was accepted, it is looked for among the
	 * queries made, while no other item that asks the same is on its way. Throws an error that says so if it is not
	 * there (unless the operator wants it sent again).
	 */
	async send(item: Item, query: PreparedQuery, before?: Unsure): Promise<Accepted> {
		const { definition, question, journalKey, expected } = query;
		const earlier = before ?? this.beforeRetry(item, query);
		if (Array.isArray(earlier)) {
			return { queries: await this.readKept(item, query, earlier), how: 'kept' };
		}
		let unsure = earlier;
		for (let attempt = 1; ; attempt++) {
			if (!unsure) {
				const post = async () => await this.post(item, query);
				const outcome = await sendLocks.shared(journalKey, post);
				if ('queries' in outcome) return outcome;
				unsure = outcome;
			}
			const lost: Unsure = unsure;
			const { error, since, word, isEnough } = lost;
			const find = async () => await this.findAccepted(item, query, lost);
			const found = await sendLocks.exclusive(journalKey, find);
			if ('queries' in found) return found;
			const how = unsure === earlier ? 'kept' : 'sent';
			if (word) return await this.take(item, query, { queries: [word], how }, isEnough);
			await this.limit.sent(item, expected.length, []);
			if (!found.isMissing || !(await this.maySendAgain(item, query, attempt))) {
				lastUnsure.set(question, since());
				this.onDoubt(item.index, expected.length);
				throw ambiguousError(error, definition, since(), found.said);
			}
			unsure = undefined;
		}
	}

	private async maySendAgain(item: Item, query: PreparedQuery, attempt: number): Promise<boolean> {
		if (!query.sendAgain || attempt >= MAX_SENDS) return false;
		return await this.limit.plan(item, [query]).then(
			() => true,
			() => false,
		);
	}

	/** What an earlier try of this execution has left of a question. */
	private beforeRetry(item: Item, query: PreparedQuery): Unsure | string[] | undefined {
		const entry = this.journal.find(item, query.journalKey);
		if (entry === undefined || Array.isArray(entry)) return entry;
		const error = new UserError('an earlier try of this execution sent it and had no answer');
		const sentAs = this.journal.sentAs(item, query.journalKey);
		if (typeof entry === 'number') return { error, since: () => entry, sentAs };
		const last = lastAccepted.get(sentAs ?? query.question);
		const word = last?.queries.find((one) => !queryIdOf(one)) ?? { status: 'PENDING' };
		return { error, since: () => entry.sentAt, sentAs, word, isEnough: false };
	}

	private async post(item: Item, query: PreparedQuery): Promise<Accepted | Unsure> {
		const { definition, path, body, secrets, expected, question, journalKey, sentAs } = query;
		const before = this.journal.find(item, journalKey);
		const sentBefore = this.journal.sentAs(item, journalKey);
		let [since, counted] = [thisMoment(), 0];
		const beforeSend = () => {
			since = thisMoment();
			this.limit.sending(question, expected.length - counted);
			this.journal.sending(item, journalKey, expected.length - counted, sentAs);
			counted = expected.length;
		};
		try {
			const emptyAs = definition.hasNoResult ? { message: '' } : undefined;
			const request = { path, body, secrets, beforeSend, emptyAs };
			const answer = await item.request({ method: 'POST', ...request });
			const read = readPosted(answer, query, (await connectionOf(item)).mapping);
			if ('queries' in read) return await this.take(item, query, { ...read, how: 'sent' });
			if (read.word) this.journal.acceptedByWord(item, journalKey);
			return { ...read, since };
		} catch (error) {
			if (error instanceof NodeApiError && isUnsure(item, error)) return { error, since };
			this.journal.refused(item, journalKey, counted, before, sentBefore);
			await this.limit.sent(item, expected.length, []);
			throw refusedError(error, definition, query.fields);
		}
	}

	/** What is not final is looked for again in a further try. */
	private async take(item: Item, query: PreparedQuery, accepted: Accepted, isFinal = true) {
		const { question, journalKey, sentAs, expected } = query;
		const ids = accepted.queries.flatMap((record) => queryIdOf(record) ?? []);
		if (isFinal) this.journal.accepted(item, journalKey, ids);
		await this.claim(item, ids);
		const last = { at: Date.now(), queries: accepted.queries };
		lastAccepted.set(question, last);
		if (sentAs !== undefined && ids.length === 0) lastAccepted.set(sentAs, last);
		lastUnsure.delete(question);
		await this.limit.sent(item, expected.length, ids);
		return accepted;
	}

	private async claim(item: Item, ids: string[]): Promise<void> {
		const { client } = await connectionOf(item);
		ids.forEach((id) => claimed.set(`${client} ${id}`, true));
	}

	/** What an earlier try of this execution has paid for, as it stands now. */
	private async readKept(item: Item, { question, journalKey }: PreparedQuery, ids: string[]) {
		const connection = await connectionOf(item);
		await this.claim(item, ids);
		const queries = await Promise.all(
			ids.map(async (_id) => await completeRecord(connection, { _id })), // which may not be there yet
		);
		const key = this.journal.sentAs(item, journalKey) ?? question;
		const known = ids.length > 0 ? queries : lastAccepted.get(key)?.queries;
		if (known) return known;
		throw new UserError(
			'An earlier try of this execution has paid for this query, but its answer held no ID by which it can be read again',
			{ description: 'Look for it in the service. A new execution asks, and pays, again.' },
		);
	}

	/** The queries that were accepted since then; or, if not all of them are there, what is to be said of it. */
	private async findAccepted(
		item: Item,
		query: PreparedQuery,
		{ error, since, isEnough, sentAs }: Unsure,
	): Promise<Accepted | Unfound> {
		const expected = sentAs === undefined ? query.expected : query.expectedAs(sentAs);
		const { client } = await connectionOf(item);
		const kept = new Set(this.journal.ids); // also of items that are not read again yet
		const isFree = (id: string) => !kept.has(id) && !claimed.has(`${client} ${id}`);
		const id = queryIdSaidIn(error.description) ?? '';
		let unfound: Unfound = { said: '', isMissing: false };
		for (const pause of LOOKS_MS) {
			await item.wait(pause);
			const named = id && isFree(id) && (await readNamed(item, id, expected, since()));
			if (named) return await this.take(item, query, { queries: [named], how: 'recovered' });
			const outcome = await findCreated(item, expected, since(), isFree).then(
				(created) => created,
				({ message }: Error) => ({ message }),
			);
			if ('message' in outcome) {
				unfound = { said: outcome.message, isMissing: false };
				continue;
			}
			const { queries, cutOff } = outcome;
			const found = queries.filter((record) => record !== undefined);
			if (found.length === expected.length) {
				return await this.take(item, query, { queries: found, how: 'recovered' });
			}
			unfound = unfoundOf(found, expected.length, cutOff);
			if (isEnough) break;
		}
		return id ? { ...unfound, isMissing: false } : unfound;
	}
}
