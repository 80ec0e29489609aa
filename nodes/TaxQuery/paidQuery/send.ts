import type { IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../../shared/operations/operation';
import { thisMoment } from '../../shared/transport/clockOffset';
import type { Said } from '../../shared/http/problem';
import type { Problem } from '../../shared/transport/result';
import type { Question } from '../question/question';
import { findQuery, post, serviceOfItem } from '../service/client';
import { keysToTry, noteAccepted } from '../service/names';
import { readPosted } from '../service/record';
import type { Id, Posted, Query, QueryRecord } from '../service/types';
import { QueryError, wordsOf, type Search } from '../telling/messages';
import {
	isOfOther,
	isWord,
	otherQuery,
	type Answer,
	type Outcome,
	type Word,
} from '../telling/rows';
import { journalOf } from './journal';
import { doubtOf, isDoubtful, step, type Doubtful } from './life';
import { queryLimit, type Limits } from './limit';
import { lostQueries } from './look';
import type { Reuse } from './options';
import { queriesOf } from './processMemory';
import { isUsable, type Submission } from './register';
import { LISTED_MS, pastQueries } from './reuse';

/** What an item's options say of how it is sent. */
export interface Sending extends Limits {
	sendAgain: boolean;
	reuse: Reuse | undefined;
}

/** What came of a question: its queries, or what the service said where that is all there is. */
type Accepted = Pick<Outcome, 'how'> & { queries: Answer[] };

/** What is known of a question whose outcome is uncertain. */
interface Doubts {
	problem?: Problem;
	/** Of a response without a query ID, and its words. */
	body?: IDataObject;
	said?: Said;
	/** What came, where some of it is surely another query. */
	came?: Query[];
}

/** What a search in the list has brought: the queries, or where the question stands. */
type Searched = { queries: Query[] } | { life: Doubtful; search: Search; isProved: boolean };

/** How long to wait before each look among the queries made: what was just accepted may not be listed yet. */
const LOOKS_MS = [0, 1000, 3000];
/** The same while there is no proof that the list would show it. */
const FURTHER_MS = 5000;
const MAX_SENDS = 3;
const DAY_MS = 24 * 3_600_000;
const aDayAgo = () => Date.now() - DAY_MS;

/** Told of what is billed, or may be, as soon as it is known. */
interface SpendingLog {
	accepted(item: Item, ids: Id[], isByEarlierTry?: boolean): void;
	/** Nobody knows whether so many queries of an item were accepted. */
	unsure(item: Item, count: number): void;
}

/**
 * Sends the questions of a run, so that each is billed once in its execution, and no item takes another one's query.
 */
export function querySender(run: Run, log: SpendingLog) {
	const journal = journalOf(run);
	const { register } = journal;
	const past = pastQueries(run, register);
	const limit = queryLimit(run, journal, past);
	const findLost = lostQueries();
	/** n8n tells neither a sub-workflow nor the call of an MCP client whether it repeats another one. */
	const mayRepeat = run.mode === 'integrated' || run.executionId === undefined;

	/** Whether an earlier try of this execution has sent an item's question. */
	const isKept = (item: Item, question: Question): boolean => {
		const at = journal.own(item, question)?.life.at ?? 'planned';
		return at !== 'planned' && at !== 'refused';
	};

	/** The name by which a question is reserved: the same for all who share its query. */
	const reservationOf = (item: Item, { share, key }: Question, { reuse }: Sending): string =>
		isSharing(reuse) ? share : `${run.executionId ?? ''} ${run.index} ${item.index} ${key}`;

	/** Keeps what an item will send below the limits. Throws a QueryError before anything is sent. */
	async function plan(item: Item, sending: Sending, questions: Question[]): Promise<void> {
		const isAsked = (question: Question) =>
			isKept(item, question) ||
			(isSharing(sending.reuse) && register.isAsked(question.share, aDayAgo()));
		const planned = questions
			.filter((question) => !isAsked(question))
			.map((question) => ({ name: reservationOf(item, question, sending), question }));
		await limit.plan(item, sending, planned);
	}

	/** Sends a question unless it was sent before, or another item or execution has got its result. */
	async function ask(item: Item, question: Question, sending: Sending): Promise<Accepted> {
		const own = isKept(item, question) && journal.own(item, question);
		if (own) return await drive(item, question, sending, own);
		const { reuse } = sending;
		if (isSharing(reuse)) {
			const sharing = async () => await askShared(item, question, sending, reuse);
			return await register.locks.exclusive(question.share, sharing);
		}
		if (!earlierTry(question)) return await askOwn(item, question, sending);
		return await register.locks.exclusive(`try ${question.subject}`, async () => {
			const tried = earlierTry(question);
			if (tried) return await drive(item, question, sending, tried);
			return await askOwn(item, question, sending);
		});
	}

	/**
	 * The uncertain submission that a call may repeat: of another call of this tool, or of another execution of the same
	 * parent. Items and rounds of one run are told apart by their places.
	 */
	function earlierTry(question: Question): Submission | undefined {
		const mayBeIt = ({ run: sentBy, executionId }: Submission) =>
			sentBy !== run && (run.isTool || executionId !== run.executionId);
		return register.uncertain(question).find(mayBeIt);
	}

	/** Items that ask the same, one after the other: whoever comes first sends. */
	async function askShared(
		item: Item,
		question: Question,
		sending: Sending,
		{ since }: Reuse,
	): Promise<Accepted> {
		const accepted = register.findAccepted(question.share, aDayAgo());
		if (accepted) {
			const queries = accepted.queries ?? (await readKept(item, question, accepted));
			return { queries, how: 'reused' };
		}
		const uncertain =
			register.uncertain(question).find(({ share }) => share === question.share) ??
			earlierTry(question);
		if (uncertain) {
			journal.join(item, uncertain);
			return await drive(item, question, sending, uncertain);
		}
		if (since === undefined && !mayRepeat) return await submit(item, question, sending);
		return await askListed(item, question, sending);
	}

	/** A question of one item that shares its query with nobody. */
	async function askOwn(item: Item, question: Question, sending: Sending): Promise<Accepted> {
		if (sending.reuse || mayRepeat) return await askListed(item, question, sending);
		return await submit(item, question, sending);
	}

	/** Takes what another execution has got since the list of queries was read; else sends. */
	async function askListed(item: Item, question: Question, sending: Sending): Promise<Accepted> {
		const { client, account } = await serviceOfItem(item);
		const known = queriesOf(client);
		return await known.reuseLocks.exclusive(question.share, async () => {
			const { reuse } = sending;
			const accepted = reuse && (await acceptedElsewhere(item, question, reuse));
			if (accepted) return { queries: accepted, how: 'reused' };
			const since = known.uncertainSince.get(question.share);
			if (since !== undefined && since >= (reuse?.since ?? aDayAgo())) {
				const submission = journal.begin(item, question, account);
				submission.sentAt = since;
				submission.save({ at: 'sent', since, hash: question.hash });
				return await drive(item, question, sending, submission);
			}
			return await submit(item, question, sending);
		});
	}

	async function acceptedElsewhere(
		item: Item,
		question: Question,
		reuse: Reuse,
	): Promise<Query[] | undefined> {
		const { since, isEach } = reuse;
		if (since === undefined) return undefined;
		const { client, account } = await serviceOfItem(item);
		const known = queriesOf(client);
		const readAt = await past.readAt(item);
		const before = known.lastAccepted.get(question.share);
		if (before && before.atClock >= since && (await isUnlisted(item, since, before, readAt))) {
			const ids = before.queries.map(({ id }) => id);
			if (!isEach || register.claim(account, ids)) return before.queries;
		}
		if (before || !known.hasForgottenSince(readAt)) return undefined;
		past.renew(await serviceOfItem(item));
		const found = await past.findReusable(item, question, reuse);
		const queries = found.filter((one) => one !== undefined);
		return queries.length > 0 && queries.length === found.length ? queries : undefined;
	}

	/** What was accepted after the list was read, or shortly before and is not in it yet; in a state that is known. */
	async function isUnlisted(
		item: Item,
		since: number,
		{ at, queries }: { at: number; queries: Query[] },
		readAt: number,
	): Promise<boolean> {
		if (!isUsable(queries)) return false;
		const earlierMs = readAt - at;
		if (earlierMs <= 0) return true;
		return earlierMs <= LISTED_MS && !(await past.shows(item, since, queries));
	}

	/** Sends a question as a submission of its own, if the limits allow that. */
	async function submit(item: Item, question: Question, sending: Sending): Promise<Accepted> {
		await limit.plan(item, sending, [
			{ name: reservationOf(item, question, sending), question }, // an equal one may have used up what was planned
		]);
		const { account } = await serviceOfItem(item);
		return await drive(item, question, sending, journal.begin(item, question, account));
	}

	/**
	 * Drives a question through its states: sent once, and looked for among the queries made if nobody knows whether it was
	 * accepted, while no other item that asks the same is on its way. Throws a QueryError if that stays open.
	 */
	async function drive(
		item: Item,
		question: Question,
		sending: Sending,
		submission: Submission,
	): Promise<Accepted> {
		const { key, expected } = question;
		const count = expected.length;
		const { client, account } = await serviceOfItem(item);
		if (submission.life.at === 'accepted') {
			log.accepted(item, submission.life.ids, true);
			return { queries: await readKept(item, question, submission), how: 'kept' };
		}
		const isEarlier = isDoubtful(submission.life);
		let doubts: Doubts | undefined = isEarlier ? {} : undefined;
		let name = reservationOf(item, question, sending);
		for (let sends = 1; ; sends++) {
			if (!doubts) {
				const sent = async () => await sendOnce(item, question, submission, name);
				const posted = await queriesOf(account).sendLocks.shared(key, sent);
				if ('queries' in posted) return { queries: posted.queries, how: 'sent' };
				doubts = posted;
			}
			const mayBeSentAgain = sending.sendAgain && sends < MAX_SENDS && !doubts.came;
			const searched = await search(item, question, submission, mayBeSentAgain);
			if ('queries' in searched) return { queries: searched.queries, how: 'recovered' };
			const { life, isProved } = searched;
			const { lastBodies, uncertainSince } = queriesOf(client);
			const word = doubtOf(life) === 'noId' && wordOf(question, doubts.body ?? lastBodies.get(key));
			if (word) {
				lastBodies.set(key, word.raw);
				return { queries: [word], how: isEarlier ? 'kept' : 'sent' };
			}
			const own = await takeOwn(item, question, submission, doubts.came);
			if (own) return { queries: own, how: 'sent' };
			log.unsure(item, count); // and stays so, whatever is sent after it
			name = `${reservationOf(item, question, sending)} ${sends}`;
			const isAllowed =
				mayBeSentAgain && isProved && (await mayPlan(item, sending, question, name));
			const next = isAllowed ? step(life, { type: 'again' }, count) : life;
			if (isDoubtful(next)) {
				uncertainSince.set(question.share, life.since);
				throw unsureError(question, life, searched.search, doubts);
			}
			const beside = journal.begin(item, question, account, ` ${sends}`);
			beside.sentAt = submission.sentAt;
			beside.save(life); // beside that of what is sent now
			doubts = undefined;
		}
	}

	/** Looks for a lost query while nobody sends the same. */
	async function search(
		item: Item,
		question: Question,
		submission: Submission,
		mayBeSentAgain: boolean,
	): Promise<Searched> {
		const life = submission.life as Doubtful;
		const { client, account } = await serviceOfItem(item);
		submission.isInFlight = true;
		let isStopped = true;
		try {
			const looking = async () => await look(item, question, submission, life, mayBeSentAgain);
			const searched = await queriesOf(account).sendLocks.exclusive(question.key, looking);
			isStopped = false;
			return searched;
		} finally {
			submission.isInFlight = false;
			if (isStopped) queriesOf(client).uncertainSince.set(question.share, life.since); // who asks the same next goes on looking
		}
	}

	/** Of several queries those that are this question's, where the list does not show the others either. */
	async function takeOwn(
		item: Item,
		{ expected }: Question,
		submission: Submission,
		came: Query[] = [],
	): Promise<Query[] | undefined> {
		const own = came.filter((query) => !isForeign(query, expected));
		if (own.length === 0 || expected.length === 1) return undefined;
		const ids = own.map(({ id }) => id);
		submission.save({ at: 'accepted', ids });
		submission.queries = own;
		await limit.found(item, submission, ids);
		return came;
	}

	async function mayPlan(
		item: Item,
		limits: Limits,
		question: Question,
		name: string,
	): Promise<boolean> {
		return await limit.plan(item, limits, [{ name, question }]).then(
			() => true,
			() => false,
		);
	}

	/** Sends it once; its state is kept at each step, and counted. Throws a QueryError if it is refused. */
	async function sendOnce(
		item: Item,
		question: Question,
		submission: Submission,
		name: string,
	): Promise<{ queries: Query[] } | Doubts> {
		const { definition, key, path, body, secrets, expected, hash } = question;
		const { mapping, client } = await serviceOfItem(item);
		const count = expected.length;
		const before = submission.life;
		let isSent = false;
		let moment = thisMoment();
		/** By our clock as it is now, in case it was set meanwhile. */
		const leave = () => {
			submission.sentAt = moment();
			submission.save({ at: 'sent', since: moment(), hash });
		};
		/** It goes to its socket, the first time or again. */
		const beforeSend = () => {
			moment = thisMoment();
			submission.sentMoment = performance.now();
			if (!isSent) {
				limit.sending(name);
				journal.count(count);
			}
			isSent = true;
			leave();
		};
		/** It was surely not accepted: all is as it was before. */
		const takeBack = async () => {
			if (isSent) journal.count(-count);
			submission.save(isDoubtful(before) ? before : { at: 'refused' });
			await limit.ended(item, name, count, { ...submission, life: { at: 'refused' } });
		};
		submission.isInFlight = true;
		try {
			const emptyAs = definition.hasNoResult ? { message: '' } : undefined;
			const asked = { method: 'POST' as const, path, body, secrets, beforeSend, emptyAs };
			const result = await post(item, { ...asked, secretOf: key }).catch(async (error: unknown) => {
				await takeBack();
				throw error;
			});
			const answer = readPosted(result, mapping, count);
			if (answer.kind === 'refused') {
				await takeBack();
				throw refusal(question, answer.problem, client);
			}
			leave();
			const came = answer.kind === 'accepted' ? answer.queries : [];
			const isOwn = came.every((query) => !isForeign(query, expected));
			const posted: Posted = isOwn ? answer : { kind: 'unsure', why: 'otherQuery' };
			submission.save(step(submission.life, { type: 'answered', posted }, count));
			await limit.ended(item, name, count, submission);
			if (posted.kind === 'unsure') {
				return { ...(await doubtsOf(item, posted, secrets)), ...(!isOwn && { came }) };
			}
			await take(item, question, submission, came as Query[], moment());
			return { queries: came };
		} finally {
			submission.isInFlight = false;
		}
	}

	async function take(
		item: Item,
		question: Question,
		submission: Submission,
		queries: Query[],
		sentAt: number,
	) {
		const { client, account } = await serviceOfItem(item);
		const ids = queries.map(({ id }) => id);
		noteAccepted(client, question.definition.service);
		const known = queriesOf(client);
		for (const id of ids) known.claim(id, sentAt);
		register.claim(account, ids);
		submission.queries = queries;
		log.accepted(item, ids);
		known.lastAccepted.set(question.share, { at: performance.now(), atClock: Date.now(), queries });
		known.uncertainSince.delete(question.share);
	}

	/** What was accepted before, as it stands now. */
	async function readKept(
		item: Item,
		{ expected }: Question,
		submission: Submission,
	): Promise<Query[]> {
		const ids = submission.life.at === 'accepted' ? submission.life.ids : [];
		const service = await serviceOfItem(item);
		for (const id of ids) queriesOf(service.client).claim(id, 0);
		const missing = (id: Id): Query => ({ kind: 'acknowledged', id, raw: { queryId: id } }); // not there yet
		const queries = await Promise.all(
			ids.map(async (id) => (await findQuery(service, id)) ?? missing(id)),
		);
		if (queries.every((query) => !isForeign(query, expected))) submission.queries = queries;
		return queries;
	}

	/** The queries of an uncertain question; or where it stands, and whether the list would surely show them. */
	async function look(
		item: Item,
		question: Question,
		submission: Submission,
		life: Doubtful,
		mayBeSentAgain: boolean,
	): Promise<Searched> {
		const { definition, expected, expectedOf } = question;
		const { client, account } = await serviceOfItem(item);
		const { since, hash } = life;
		const isFree = async (id: Id) =>
			!register.isClaimed(account, id) &&
			!queriesOf(client).isClaimed(id) &&
			!(await past.wasListed(item, id, since));
		const lost = { expected: expectedOf(hash), since, isFree };
		const isWordEnough = definition.hasNoResult && life.at === 'unsure' && life.why === 'noId';
		for (let number = 0; ; number++) {
			await item.wait(LOOKS_MS[number] ?? FURTHER_MS);
			const seen = await findLost(item, lost).catch((error: unknown) => ({
				unlisted: wordsOf(error),
			}));
			let [next, search, isProved]: [Submission['life'], Search, boolean] = [
				life,
				seen as Search,
				false,
			];
			if ('found' in seen) {
				const { found: queries, isLater, ...listed } = seen;
				const found = queries.map(({ id }) => id);
				search = { ...listed, found };
				next = step(life, { type: 'looked', ...search }, expected.length);
				if (next.at === 'accepted') {
					submission.save(next);
					await limit.found(item, submission, found);
					await take(item, question, submission, queries, since);
					return { queries };
				}
				const isListed = performance.now() - submission.sentMoment >= LISTED_MS;
				isProved = next.at === 'missing' && (isLater || isListed);
			}
			const mayWait = mayBeSentAgain && next.at === 'missing' && !isProved;
			const isEnough = isWordEnough && 'found' in seen;
			if (!isEnough && (number + 1 < LOOKS_MS.length || mayWait)) continue;
			submission.save(next);
			return { life: isDoubtful(next) ? next : life, search, isProved };
		}
	}

	/**
	 * What was read of a question's queries: it counts only if none of it is surely another query. Else the question is
	 * uncertain again, and looked for. Throws a QueryError if that stays open.
	 */
	async function accept(item: Item, question: Question, read: Outcome[]): Promise<Outcome[]> {
		const { expected, share } = question;
		const submission = journal.own(item, question) ?? register.findByShare(share, idsIn(read));
		const queries = read.flatMap(({ query }) => (query.kind === 'word' ? [] : [query]));
		if (queries.every((query) => !isForeign(query, expected))) {
			if (submission && queries.length > 0) submission.queries = queries;
			if (!isUsable(queries))
				queriesOf((await serviceOfItem(item)).client).lastAccepted.delete(share);
			return read;
		}
		if (!submission || submission.sentAt === 0) return read;
		return await register.locks.exclusive(`own ${share}`, async () => {
			const { life } = submission;
			const isKnown = life.at !== 'accepted' || !life.ids.every((id) => idsIn(read).includes(id));
			if (isKnown && submission.queries) return recovered(submission.queries);
			return await replaceForeign(item, question, submission, queries, read);
		});
	}

	async function replaceForeign(
		item: Item,
		question: Question,
		submission: Submission,
		came: Query[],
		read: Outcome[],
	): Promise<Outcome[]> {
		const { definition, expected, hash } = question;
		const { client, account } = await serviceOfItem(item);
		const since = submission.sentAt;
		const ids = came.map(({ id }) => id);
		register.release(account, ids);
		const known = queriesOf(client);
		for (const id of ids) known.release(id);
		known.lastAccepted.delete(question.share);
		submission.queries = undefined;
		submission.save({ at: 'unsure', since, hash: submission.hash || hash, why: 'otherQuery' });
		const searched = await search(item, question, submission, false);
		if ('queries' in searched) return recovered(searched.queries);
		if (await takeOwn(item, question, submission, came)) return read;
		log.unsure(item, expected.length);
		known.uncertainSince.set(question.share, since);
		const foreign = came.find((query) => isForeign(query, expected)) as QueryRecord;
		const trouble = otherQuery(foreign, { definition, expected });
		throw new QueryError({ ...trouble, search: searched.search });
	}

	return { past, journal, limit, isKept, plan, ask, accept };
}

export type QuerySender = ReturnType<typeof querySender>;

/** Whether items that ask the same share a query. */
export const isSharing = (reuse: Reuse | undefined): reuse is Reuse =>
	reuse !== undefined && !reuse.isEach;

/** Whether a query is surely not one that was asked for. */
const isForeign = (query: Query, expected: Question['expected']): boolean =>
	query.kind === 'record' && isOfOther(query, expected);

const idsIn = (outcomes: Outcome[]): Id[] =>
	outcomes.flatMap(({ query }) => (query.kind === 'word' ? [] : [query.id]));

const recovered = (queries: Query[]): Outcome[] =>
	queries.map((query) => ({ query, how: 'recovered' }));

function unsureError(
	{ definition, expected }: Question,
	life: Doubtful,
	search: Search,
	{ came, problem, said }: Doubts,
): QueryError {
	const foreign = came?.find((query) => isForeign(query, expected));
	if (foreign?.kind === 'record') {
		return new QueryError({ ...otherQuery(foreign, { definition, expected }), search });
	}
	const [why, count] = [doubtOf(life), expected.length];
	return new QueryError({
		kind: 'unsure',
		definition,
		why,
		count,
		since: life.since,
		search,
		...{ problem, said },
	});
}

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
): Promise<Doubts> {
	if (!body) return { problem };
	const { said } = await item.connection();
	// no document shows it: what repeats the credential is withheld whole
	const shown = said([body]).isWithheld ? undefined : body;
	return { problem, body: shown, said: said(body, secrets) };
}

/** What comes out of a 2xx without an ID that the list does not explain; undefined where that is no response at all. */
function wordOf({ definition }: Question, body: IDataObject | undefined): Word | undefined {
	const { hasNoShownResponse, service } = definition;
	const raw = body ?? {};
	return hasNoShownResponse || isWord(raw, service) ? { kind: 'word', raw } : undefined;
}
