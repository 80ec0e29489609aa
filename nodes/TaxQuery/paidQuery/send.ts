import type { IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../../shared/operations/operation';
import { thisMoment } from '../../shared/transport/clockOffset';
import { isNotFound } from '../../shared/transport/errors';
import type { Said } from '../../shared/http/problem';
import type { Problem } from '../../shared/transport/result';
import { pickOwn } from '../question/pickOwn';
import type { Question } from '../question/question';
import { getQuery, serviceOfItem } from '../service/client';
import { keysToTry, noteAccepted } from '../service/names';
import { readPosted } from '../service/posted';
import type { Id, Query } from '../service/types';
import { post } from '../service/wire';
import { QueryError, wordsOf, type Search } from '../telling/messages';
import { isWord, type Answer, type Outcome, type Word } from '../telling/rows';
import { Journal } from './journal';
import {
	claim,
	isClaimed,
	lastAccepted,
	lastUnsure,
	lastWords,
	reuseLocks,
	sendLocks,
} from './ledger';
import { isDoubtful, step, type Life } from './life';
import { QueryLimit, type Limits } from './limit';
import { LostQueries } from './look';
import type { Reuse } from './options';
import { PastQueries } from './reuse';

/** What an item's options say of how it is sent. */
export interface Sending {
	limits: Limits;
	sendAgain: boolean;
	reuse: Reuse | undefined;
}

/** What came of a question: its queries, or what the service said where that is all there is. */
type Accepted = Pick<Outcome, 'how'> & { queries: Answer[] };

/** What is known of a doubtful question beside its life. */
interface Doubts {
	problem?: Problem;
	/** Of a response without a query ID, and its words. */
	body?: IDataObject;
	said?: Said;
}

type Doubtful = Extract<Life, { since: number }>;

/** So long after it was accepted a query may be missing in the list. */
const LISTED_MS = 60_000;
/** How long to wait before each look among the queries made: what was just accepted may not be listed yet. */
const LOOKS_MS = [0, 1000, 3000];
/** The same while there is no proof that the list would show it. */
const FURTHER_MS = 5000;
const MAX_SENDS = 3;

/** Told of what is billed, or may be, as soon as it is known. */
export interface SpendingLog {
	accepted(item: Item, ids: Id[], isByEarlierTry?: boolean): void;
	/** Nobody knows whether so many queries of an item were accepted. */
	unsure(item: Item, count: number): void;
}

/** Sends the questions of a run, so that each is billed once, and no item takes another one's query. */
export class QuerySender {
	readonly past = new PastQueries();
	readonly journal: Journal;
	readonly limit: QueryLimit;
	private readonly lost = new LostQueries();

	constructor(
		run: Run,
		private readonly log: SpendingLog,
	) {
		this.journal = new Journal(run);
		this.limit = new QueryLimit(this.journal, this.past);
	}

	/** Whether an earlier try of this execution has sent a question. */
	isKept(item: Item, { key }: Question): boolean {
		const { at } = this.journal.lifeOf(item, key);
		return at !== 'planned' && at !== 'refused';
	}

	/** Sends a question unless another item or execution has got its result since the list of queries was read. */
	async ask(item: Item, question: Question, sending: Sending): Promise<Accepted> {
		const { reuse } = sending;
		if (!reuse || this.isKept(item, question)) return await this.send(item, question, sending);
		return await reuseLocks.exclusive(question.id, async () => {
			const before = lastAccepted.get(question.id);
			if (before && before.at >= reuse.since) {
				const isFree = !reuse.isEach || this.past.take(before.queries);
				if (isFree && (await this.isUnlisted(item, reuse.since, before))) {
					return { queries: before.queries, how: 'reused' };
				}
			}
			const unsure = lastUnsure.get(question.id);
			if (unsure !== undefined && unsure >= reuse.since) {
				const life: Life = {
					at: 'unsure',
					since: unsure,
					hash: question.hash,
					why: 'earlierTry',
				};
				return await this.send(item, question, sending, life);
			}
			await this.limit.plan(item, sending.limits, [question], true); // an equal one may have used up what was planned
			return await this.send(item, question, sending);
		});
	}

	/** What was accepted after the list was read, or shortly before and is not in it yet; in a state that is known. */
	private async isUnlisted(
		item: Item,
		since: number,
		{ at, queries }: { at: number; queries: Query[] },
	): Promise<boolean> {
		if (queries.some((query) => query.kind === 'record' && query.state === 'unknown')) return false;
		const earlierMs = this.past.readAt - at;
		if (earlierMs <= 0) return true;
		return earlierMs <= LISTED_MS && !(await this.past.shows(item, since, queries));
	}

	/**
	 * Drives a question through its life: sent once, and looked for among the queries made if nobody knows whether it was
	 * accepted, while no other item that asks the same is on its way. Throws a QueryError if that stays open.
	 */
	private async send(
		item: Item,
		question: Question,
		{ limits, sendAgain }: Sending,
		known: Life = this.journal.lifeOf(item, question.key),
	): Promise<Accepted> {
		const { definition, key, expected } = question;
		if (known.at === 'accepted') {
			return { queries: await this.readKept(item, known.ids), how: 'kept' };
		}
		let doubtful = isDoubtful(known) ? known : undefined;
		let doubts: Doubts = {};
		for (let sends = 1; ; sends++) {
			if (!doubtful) {
				const posted = await sendLocks.shared(key, async () => await this.post(item, question));
				if ('queries' in posted) return { queries: posted.queries, how: 'sent' };
				({ life: doubtful, doubts } = posted);
			}
			const lost = doubtful;
			const mayBeSentAgain = sendAgain && sends < MAX_SENDS;
			const looked = await sendLocks.exclusive(
				key,
				async () => await this.look(item, question, lost, mayBeSentAgain),
			);
			if ('queries' in looked) return { queries: looked.queries, how: 'recovered' };
			const { since, why } = { why: 'earlierTry' as const, ...looked.life };
			const { body, ...told } = doubts;
			const word = why === 'noId' && wordOf(question, body);
			if (word) {
				lastWords.set(key, word);
				return { queries: [word], how: lost === known ? 'kept' : 'sent' };
			}
			this.log.unsure(item, expected.length); // and stays so, whatever is sent after it
			const isAllowed =
				mayBeSentAgain && looked.isProved && (await this.mayPlan(item, limits, question));
			const next = isAllowed ? step(looked.life, { type: 'again' }, expected.length) : looked.life;
			if (isDoubtful(next)) {
				lastUnsure.set(question.id, since);
				const { search } = looked;
				const count = expected.length;
				throw new QueryError({ kind: 'unsure', definition, why, count, since, search, ...told });
			}
			this.journal.keepLost(item, key, looked.life, sends);
			doubtful = undefined;
		}
	}

	private async mayPlan(item: Item, limits: Limits, question: Question): Promise<boolean> {
		return await this.limit.plan(item, limits, [question]).then(
			() => true,
			() => false,
		);
	}

	private async post(
		item: Item,
		question: Question,
	): Promise<{ queries: Query[] } | { life: Doubtful; doubts: Doubts }> {
		const { definition, path, body, secrets, expected, key, hash } = question;
		const before = this.journal.lifeOf(item, key);
		const count = expected.length;
		const { mapping, client } = await serviceOfItem(item);
		let moment = thisMoment();
		let life: Life = { at: 'planned' };
		const become = (next: Life) => this.journal.keep(item, key, (life = next));
		const beforeSend = () => {
			moment = thisMoment();
			const isFirst = life.at === 'planned';
			this.limit.sending(question, isFirst);
			if (isFirst) this.journal.count(count);
			become(step(life, { type: 'sending', since: moment(), hash }, count));
		};
		const refused = async () => {
			if (life.at === 'sent') this.journal.count(-count);
			become(isDoubtful(before) ? before : { at: 'refused' });
			await this.limit.ended(item, count, 'refused');
		};
		const emptyAs = definition.hasNoResult ? { message: '' } : undefined;
		const request = { method: 'POST' as const, path, body, secrets, beforeSend, emptyAs };
		const result = await post(item, request).catch(async (error: unknown) => {
			await refused();
			throw error;
		});
		const posted = pickOwn(readPosted(result, mapping), expected);
		if (posted.kind === 'refused') {
			await refused();
			const about = (['curp', 'rfc'] as const).find((name) => name in question.fields);
			const { problem } = posted;
			const status = problem.kind === 'status' && !problem.isTokenRefused ? problem.status : 0;
			const mappingKeys = keysToTry(status, definition.service, client);
			throw new QueryError({ kind: 'refused', problem, definition, about, mappingKeys });
		}
		const sentAt = moment(); // by our clock as it is now, in case it was set meanwhile
		become(step(life, { type: 'sending', since: sentAt, hash }, count));
		become(step(life, { type: 'answered', posted }, count));
		if (posted.kind === 'unsure') {
			await this.limit.ended(item, count, 'unsure');
			const { why, problem, body: given } = posted;
			const unsure = { at: 'unsure' as const, since: sentAt, hash, why };
			const { said } = await item.connection();
			// no document shows it: what repeats the credential is withheld whole
			const shown = given && !said([given]).isWithheld ? given : undefined;
			const words = given && said(given, secrets);
			return { life: unsure, doubts: { problem, body: shown, said: words } };
		}
		const ids = posted.queries.map(({ id }) => id);
		await this.limit.ended(item, count, 'accepted', ids);
		await this.take(item, question, posted.queries, sentAt);
		return { queries: posted.queries };
	}

	private async take(item: Item, question: Question, queries: Query[], sentAt: number) {
		const { client } = await serviceOfItem(item);
		const ids = queries.map(({ id }) => id);
		noteAccepted(client, question.definition.service);
		for (const id of ids) claim(client, id, sentAt);
		this.log.accepted(item, ids);
		lastAccepted.set(question.id, { at: Date.now(), queries });
		lastUnsure.delete(question.id);
	}

	/** What an earlier try of this execution has got, as it stands now. */
	private async readKept(item: Item, ids: Id[]): Promise<Query[]> {
		const service = await serviceOfItem(item);
		for (const id of ids) claim(service.client, id, 0);
		this.log.accepted(item, ids, true);
		return await Promise.all(
			ids.map(
				async (id): Promise<Query> =>
					await getQuery(service, id).catch((error: unknown) => {
						if (isNotFound(error)) return { kind: 'acknowledged', id, raw: { queryId: id } }; // not there yet
						throw error as Error;
					}),
			),
		);
	}

	/** The queries of a doubtful question; or where it stands, and whether the list would surely show them. */
	private async look(
		item: Item,
		question: Question,
		life: Doubtful,
		mayBeSentAgain: boolean,
	): Promise<{ queries: Query[] } | { life: Doubtful; search: Search; isProved: boolean }> {
		const { definition, key, expected, expectedOf } = question;
		const { client } = await serviceOfItem(item);
		const kept = new Set(this.journal.ids); // also of items that are not read again yet
		const { since } = life;
		const isFree = async (id: Id) =>
			!kept.has(id) && !isClaimed(client, id) && !(await this.past.wasListed(id, since));
		const lost = { expected: expectedOf(life.hash), since, isFree };
		const isWordEnough = definition.hasNoResult && life.at === 'unsure' && life.why === 'noId';
		for (let number = 0; ; number++) {
			await item.wait(LOOKS_MS[number] ?? FURTHER_MS);
			let [next, search, isProved]: [Life, Search, boolean] = [
				life,
				{ unlisted: { message: '', description: '' } },
				false,
			];
			try {
				const { found, untold, isLater, ...listed } = await this.lost.find(item, lost);
				const ids = found.map(({ id }) => id);
				next = step(
					life,
					{ type: 'looked', found: ids, untold, extent: listed.extent },
					expected.length,
				);
				if (next.at === 'accepted') {
					this.journal.keep(item, key, next);
					await this.limit.found(item, ids);
					await this.take(item, question, found, since);
					return { queries: found };
				}
				isProved = next.at === 'missing' && (isLater || Date.now() - since >= LISTED_MS);
				search = { ...listed, found: ids, untold };
			} catch (error) {
				search = { unlisted: wordsOf(error) };
			}
			const mayWait = mayBeSentAgain && next.at === 'missing' && !isProved;
			const isEnough = isWordEnough && !('unlisted' in search);
			if (!isEnough && (number + 1 < LOOKS_MS.length || mayWait)) continue;
			this.journal.keep(item, key, next);
			return { life: isDoubtful(next) ? next : life, search, isProved };
		}
	}
}

/** What comes out of a 2xx without an ID that the list does not explain; undefined where that is no response at all. */
function wordOf({ definition, key }: Question, body: IDataObject | undefined): Word | undefined {
	const { hasNoShownResponse, service } = definition;
	const word: Word = body
		? { kind: 'word', raw: body }
		: (lastWords.get(key) ?? { kind: 'word', raw: {} });
	return hasNoShownResponse || isWord(word.raw, service) ? word : undefined;
}
