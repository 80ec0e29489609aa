import type { IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../../shared/operations/operation';
import { thisMoment } from '../../shared/transport/clockOffset';
import type { Said } from '../../shared/http/problem';
import type { Problem } from '../../shared/transport/result';
import type { Question } from '../question/question';
import { findQuery, post, serviceOfItem } from '../service/client';
import { keysToTry, noteAccepted } from '../service/names';
import { readPosted } from '../service/record';
import type { Id, Posted, Query } from '../service/types';
import { QueryError, wordsOf, type Search } from '../telling/messages';
import { isWord, type Answer, type Outcome, type Word } from '../telling/rows';
import {
	claim,
	isClaimed,
	journalOf,
	lastAccepted,
	lastUnsure,
	lastWords,
	reuseLocks,
	sendLocks,
} from './journal';
import { doubtOf, isDoubtful, step, type Doubtful, type Life } from './life';
import { queryLimit, type Limits } from './limit';
import { lostQueries } from './look';
import type { Reuse } from './options';
import { pastQueries } from './reuse';

/** What an item's options say of how it is sent. */
export interface Sending extends Limits {
	sendAgain: boolean;
	reuse: Reuse | undefined;
}

/** What came of a question: its queries, or what the service said where that is all there is. */
type Accepted = Pick<Outcome, 'how'> & { queries: Answer[] };

/** What is known of a doubtful question. */
interface Doubts {
	life: Doubtful;
	problem?: Problem;
	/** Of a response without a query ID, and its words. */
	body?: IDataObject;
	said?: Said;
}

/** So long after it was accepted a query may be missing in the list. */
const LISTED_MS = 60_000;
/** How long to wait before each look among the queries made: what was just accepted may not be listed yet. */
const LOOKS_MS = [0, 1000, 3000];
/** The same while there is no proof that the list would show it. */
const FURTHER_MS = 5000;
const MAX_SENDS = 3;

/** Told of what is billed, or may be, as soon as it is known. */
interface SpendingLog {
	accepted(item: Item, ids: Id[], isByEarlierTry?: boolean): void;
	/** Nobody knows whether so many queries of an item were accepted. */
	unsure(item: Item, count: number): void;
}

/** Sends the questions of a run, so that each is billed once, and no item takes another one's query. */
export function querySender(run: Run, log: SpendingLog) {
	const past = pastQueries();
	const journal = journalOf(run);
	const limit = queryLimit(journal, past);
	const findLost = lostQueries();

	/** Whether an earlier try of this execution has sent a question. */
	const isKept = (item: Item, { key }: Question): boolean =>
		journal.lifeOf(item, key).at !== 'planned';

	/** Sends a question unless another item or execution has got its result since the list of queries was read. */
	async function ask(item: Item, question: Question, sending: Sending): Promise<Accepted> {
		const { reuse } = sending;
		if (!reuse || isKept(item, question)) return await send(item, question, sending);
		return await reuseLocks.exclusive(question.id, async () => {
			const before = lastAccepted.get(question.id);
			if (before && before.at >= reuse.since) {
				const isFree = !reuse.isEach || past.take(before.queries);
				if (isFree && (await isUnlisted(item, reuse.since, before))) {
					return { queries: before.queries, how: 'reused' };
				}
			}
			const unsure = lastUnsure.get(question.id);
			if (unsure !== undefined && unsure >= reuse.since) {
				const life = { at: 'sent' as const, since: unsure, hash: question.hash };
				return await send(item, question, sending, life);
			}
			await limit.plan(item, sending, [question], true); // an equal one may have used up what was planned
			return await send(item, question, sending);
		});
	}

	/** What was accepted after the list was read, or shortly before and is not in it yet; in a state that is known. */
	async function isUnlisted(
		item: Item,
		since: number,
		{ at, queries }: { at: number; queries: Query[] },
	): Promise<boolean> {
		if (queries.some((query) => query.kind === 'record' && query.state === 'unknown')) return false;
		const earlierMs = past.readAt - at;
		if (earlierMs <= 0) return true;
		return earlierMs <= LISTED_MS && !(await past.shows(item, since, queries));
	}

	/**
	 * Drives a question through its life: sent once, and looked for among the queries made if nobody knows whether it was
	 * accepted, while no other item that asks the same is on its way. Throws a QueryError if that stays open.
	 */
	async function send(
		item: Item,
		question: Question,
		sending: Sending,
		known: Life = journal.lifeOf(item, question.key),
	): Promise<Accepted> {
		const { definition, key, expected } = question;
		const count = expected.length;
		if (known.at === 'accepted') {
			return { queries: await readKept(item, known.ids), how: 'kept' };
		}
		let doubts: Doubts | undefined = isDoubtful(known) ? { life: known } : undefined;
		for (let sends = 1; ; sends++) {
			if (!doubts) {
				const posted = await sendLocks.shared(key, async () => await sendOnce(item, question));
				if ('queries' in posted) return { queries: posted.queries, how: 'sent' };
				doubts = posted;
			}
			const { life: lost, body, ...told } = doubts;
			const mayBeSentAgain = sending.sendAgain && sends < MAX_SENDS;
			const stayUnsure = () => void lastUnsure.set(question.id, lost.since);
			const looking = async () => await look(item, question, lost, mayBeSentAgain);
			const looked = await sendLocks.exclusive(key, looking).catch((error: unknown) => {
				stayUnsure(); // the execution is stopped, and whoever asks the same next goes on looking
				throw error;
			});
			if ('queries' in looked) return { queries: looked.queries, how: 'recovered' };
			const { life, search, isProved } = looked;
			const why = doubtOf(life);
			const word = why === 'noId' && wordOf(question, body);
			if (word) {
				lastWords.set(key, word.raw);
				return { queries: [word], how: lost === known ? 'kept' : 'sent' };
			}
			log.unsure(item, count); // and stays so, whatever is sent after it
			const isAllowed = mayBeSentAgain && isProved && (await mayPlan(item, sending, question));
			const next = isAllowed ? step(life, { type: 'again' }, count) : life;
			if (isDoubtful(next)) {
				const { since } = life;
				stayUnsure();
				throw new QueryError({ kind: 'unsure', definition, why, count, since, search, ...told });
			}
			journal.keep(item, `${key} ${sends}`, life); // beside that of what is sent now
			doubts = undefined;
		}
	}

	async function mayPlan(item: Item, limits: Limits, question: Question): Promise<boolean> {
		return await limit.plan(item, limits, [question]).then(
			() => true,
			() => false,
		);
	}

	/** Sends it once; its life is kept at each step, and counted. Throws a QueryError if it is refused. */
	async function sendOnce(item: Item, question: Question): Promise<{ queries: Query[] } | Doubts> {
		const { definition, key, path, body, secrets, expected, hash } = question;
		const { mapping, client } = await serviceOfItem(item);
		const count = expected.length;
		const before = journal.lifeOf(item, key);
		let life = { at: 'planned' } as Life;
		let moment = thisMoment();
		const become = (next: Life) => journal.keep(item, key, (life = next));
		const leave = () => become(step(life, { type: 'sending', since: moment(), hash }, count));
		/** It goes to its socket, the first time or again. */
		const beforeSend = () => {
			moment = thisMoment();
			const isFirst = life.at === 'planned';
			limit.sending(question, isFirst);
			if (isFirst) journal.count(count);
			leave();
		};
		/** It was surely not accepted: all is as it was before. */
		const takeBack = async () => {
			if (life.at === 'sent') journal.count(-count);
			become(isDoubtful(before) ? before : { at: 'refused' });
			await limit.ended(item, count, { at: 'refused' });
		};
		const emptyAs = definition.hasNoResult ? { message: '' } : undefined;
		const asked = { method: 'POST' as const, path, body, secrets, beforeSend, emptyAs };
		const result = await post(item, asked).catch(async (error: unknown) => {
			await takeBack();
			throw error;
		});
		const posted = readPosted(result, mapping, count);
		if (posted.kind === 'refused') {
			await takeBack();
			throw refusal(question, posted.problem, client);
		}
		leave(); // by our clock as it is now, in case it was set meanwhile
		become(step(life, { type: 'answered', posted }, count));
		await limit.ended(item, count, life);
		if (posted.kind === 'unsure') {
			return { life: life as Doubtful, ...(await doubtsOf(item, posted, secrets)) };
		}
		await take(item, question, posted.queries, moment());
		return { queries: posted.queries };
	}

	async function take(item: Item, question: Question, queries: Query[], sentAt: number) {
		const { client } = await serviceOfItem(item);
		const ids = queries.map(({ id }) => id);
		noteAccepted(client, question.definition.service);
		for (const id of ids) claim(client, id, sentAt);
		log.accepted(item, ids);
		lastAccepted.set(question.id, { at: Date.now(), queries });
		lastUnsure.delete(question.id);
	}

	/** What an earlier try of this execution has got, as it stands now. */
	async function readKept(item: Item, ids: Id[]): Promise<Query[]> {
		const service = await serviceOfItem(item);
		for (const id of ids) claim(service.client, id, 0);
		log.accepted(item, ids, true);
		const missing = (id: Id): Query => ({ kind: 'acknowledged', id, raw: { queryId: id } }); // not there yet
		return await Promise.all(ids.map(async (id) => (await findQuery(service, id)) ?? missing(id)));
	}

	/** The queries of a doubtful question; or where it stands, and whether the list would surely show them. */
	async function look(
		item: Item,
		question: Question,
		life: Doubtful,
		mayBeSentAgain: boolean,
	): Promise<{ queries: Query[] } | { life: Doubtful; search: Search; isProved: boolean }> {
		const { definition, key, expected, expectedOf } = question;
		const { client } = await serviceOfItem(item);
		const kept = new Set(journal.ids()); // also of items that are not read again yet
		const { since, hash } = life;
		const isFree = async (id: Id) =>
			!kept.has(id) && !isClaimed(client, id) && !(await past.wasListed(id, since));
		const lost = { expected: expectedOf(hash), since, isFree };
		const isWordEnough = definition.hasNoResult && life.at === 'unsure' && life.why === 'noId';
		for (let number = 0; ; number++) {
			await item.wait(LOOKS_MS[number] ?? FURTHER_MS);
			const seen = await findLost(item, lost).catch((error: unknown) => ({
				unlisted: wordsOf(error),
			}));
			let [next, search, isProved]: [Life, Search, boolean] = [life, seen as Search, false];
			if ('found' in seen) {
				const { found: queries, isLater, ...listed } = seen;
				const found = queries.map(({ id }) => id);
				search = { ...listed, found };
				next = step(life, { type: 'looked', ...search }, expected.length);
				if (next.at === 'accepted') {
					journal.keep(item, key, next);
					await limit.found(item, found);
					await take(item, question, queries, since);
					return { queries };
				}
				isProved = next.at === 'missing' && (isLater || Date.now() - since >= LISTED_MS);
			}
			const mayWait = mayBeSentAgain && next.at === 'missing' && !isProved;
			const isEnough = isWordEnough && 'found' in seen;
			if (!isEnough && (number + 1 < LOOKS_MS.length || mayWait)) continue;
			journal.keep(item, key, next);
			return { life: isDoubtful(next) ? next : life, search, isProved };
		}
	}

	return { past, journal, limit, isKept, ask };
}

export type QuerySender = ReturnType<typeof querySender>;

function refusal(question: Question, problem: Problem, client: string): QueryError {
	const { definition, fields } = question;
	const about = (['curp', 'rfc'] as const).find((name) => name in fields);
	const status = problem.kind === 'status' && !problem.isTokenRefused ? problem.status : 0;
	const mappingKeys = keysToTry(status, definition.service, client);
	return new QueryError({ kind: 'refused', problem, definition, about, mappingKeys });
}

async function doubtsOf(
	item: Item,
	{ problem, body }: Extract<Posted, { kind: 'unsure' }>,
	secrets: string[],
): Promise<Omit<Doubts, 'life'>> {
	if (!body) return { problem };
	const { said } = await item.connection();
	// no document shows it: what repeats the credential is withheld whole
	const shown = said([body]).isWithheld ? undefined : body;
	return { problem, body: shown, said: said(body, secrets) };
}

/** What comes out of a 2xx without an ID that the list does not explain; undefined where that is no response at all. */
function wordOf({ definition, key }: Question, body: IDataObject | undefined): Word | undefined {
	const { hasNoShownResponse, service } = definition;
	const raw = body ?? lastWords.get(key) ?? {};
	return hasNoShownResponse || isWord(raw, service) ? { kind: 'word', raw } : undefined;
}
