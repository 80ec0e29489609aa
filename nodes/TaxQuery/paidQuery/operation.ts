import { NodeApiError, UserError, type IDataObject } from 'n8n-workflow';
import { operation } from '../../shared/operations/field';
import { simplify } from '../../shared/operations/fields';
import type { Item, NextPhase, Operation, Phase, Run } from '../../shared/operations/operation';
import { ofItem } from '../../shared/transport/errors';
import { sentences } from '../../shared/utils/sentences';
import { createdAt, queryIdOf, stateOf } from '../queries';
import { connectionOf, getQuery } from '../queries/client';
import { isAcknowledgement } from './answer';
import {
	prepareQuery,
	type PaidQuery,
	type PreparedQuery,
	type QueryInput,
	type SendSettings,
} from './definition';
import { fieldsOf, optionsOf, priceNotice, type Reuse, type Wait } from './options';
import { output, type Outcome, type Shape } from './output';
import { Receipt } from './receipt';
import { QuerySender } from './send';
import { readResult, waitForResult } from './waitForResult';

/** What an item's fields and options say, beside what it asks. */
interface Settings extends SendSettings {
	wait: Wait | undefined;
	reuse: Reuse | undefined;
	simplify: boolean;
	externalReference: unknown;
	pollIntervalMs: number;
}

/** For an AI agent, which would else ask, and pay, again. */
const PENDING_NOTE =
	'With pending: true the result is not there yet: read it later by the query ID with Query → Get, which makes no new query; do not ask again';

/** The operation of a query that costs money: check, look for a result to reuse, send, wait. */
export function paidQueryOperation(definition: PaidQuery): Operation {
	const { service, name, action, description, subtitle, credential, input } = definition;
	const { isImmediate } = service;
	return operation({
		name,
		value: service.operation,
		action,
		description,
		subtitle,
		toolNote: isImmediate ? undefined : PENDING_NOTE,
		credential,
		fields: { price: priceNotice(definition), input, ...fieldsOf(definition), simplify },
		options: optionsOf(definition),
		execute: async (item, { input: asked, ...settings }) =>
			await tellingPaid(item, async () => await plan(item, definition, asked, settings)),
	});
}

/** What the items of a run share. */
function startSpending(run: Run) {
	const receipt = new Receipt(run);
	const sender = new QuerySender(run, (index, count) => receipt.doubt(index, count));
	run.atEnd(() => sender.limit.end());
	return { sender, receipt };
}

/** Everything that is free, so that no item is sent before all of them are known to be right. */
async function plan(
	item: Item,
	definition: PaidQuery,
	input: QueryInput,
	settings: Settings,
): Promise<NextPhase> {
	const { sender, receipt } = item.run.shared(startSpending);
	const whole = await prepareQuery(item, definition, input, settings);
	const { reuse } = settings;
	const isKept = (query: PreparedQuery) =>
		sender.journal.find(item, query.journalKey) !== undefined;
	const reusable = isKept(whole) ? [] : await findReusable(item, sender, whole, reuse);
	sender.history.notes.forEach((note) => receipt.note(note));
	const parts = await missingParts(item, definition, input, settings, whole, reusable);
	const isSplit = parts.length > 0 && parts.some(({ question }) => question !== whole.question);
	if (isSplit) {
		const ids = reusable.map((one) => (one && queryIdOf(one)) ?? null);
		sender.journal.reuse(item, whole.journalKey, ids);
	}

	const unsent = parts.filter((part) => !isKept(part));
	await sender.limit.plan(item, unsent, reuse !== undefined);
	const next = async () => {
		const outcomes = await outcomesOf(item, reusable.filter(isDefined));
		for (const part of parts) outcomes.push(...(await ask(item, sender, part, reuse)));
		receipt.take(item, outcomes, settings.externalReference, reuse?.isByDefault === true);
		return await conclude(item, definition, input, settings, whole, outcomes);
	};
	return { next: async () => await tellingPaid(item, next) };
}

/** Work on an item; the error of what fails tells what the item has been charged for all the same. */
async function tellingPaid<T>(item: Item, work: () => Promise<T>): Promise<T> {
	return await work().catch((error: unknown) => {
		const ids = item.run.shared(startSpending).sender.journal.idsOf(item);
		if (ids.length === 0) throw error as Error;
		const paid = `Paid for already: ${ids.join(', ')}. Query → Get reads that, and so does retrying this execution`;
		if (error instanceof NodeApiError) {
			const own = ofItem(error, item.index);
			throw Object.assign(own, { description: sentences(error.description, paid) });
		}
		if (error instanceof UserError) {
			throw new UserError(error.message, { description: sentences(error.description, paid) });
		}
		throw error as Error;
	});
}

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;

/** The records that need not be paid for, one for each expected; in a further try those of the first. */
async function findReusable(
	item: Item,
	{ journal, history }: QuerySender,
	{ question, journalKey, expected }: PreparedQuery,
	reuse: Reuse | undefined,
): Promise<Array<IDataObject | undefined>> {
	const before = journal.reusedOf(item, journalKey);
	if (before) {
		const connection = await connectionOf(item);
		return await Promise.all(
			before.map(async (id) => (id === null ? undefined : await getQuery(connection, id))),
		);
	}
	return reuse ? await history.findReusable(item, question, expected, reuse.since) : [];
}

/** What is still to be paid for: all of it, or what can be asked for without the records that are there. */
async function missingParts(
	item: Item,
	definition: PaidQuery,
	input: QueryInput,
	settings: Settings,
	whole: PreparedQuery,
	reusable: Array<IDataObject | undefined>,
): Promise<PreparedQuery[]> {
	if (!reusable.some(isDefined)) return [whole];
	if (reusable.every(isDefined)) return [];
	const { records, only } = input;
	if (!records || !only) {
		reusable.fill(undefined);
		return [whole];
	}
	const missing = records.filter((_, index) => !reusable[index]);
	return await Promise.all(
		only(missing).map(async (part) => await prepareQuery(item, definition, part, settings)),
	);
}

async function ask(
	item: Item,
	sender: QuerySender,
	query: PreparedQuery,
	reuse: Reuse | undefined,
): Promise<Outcome[]> {
	const isKept = sender.journal.find(item, query.journalKey) !== undefined;
	const accepted =
		reuse && !isKept
			? await sender.sendOnce(item, query, reuse.since)
			: await sender.send(item, query);
	const outcomes: Outcome[] =
		'reused' in accepted
			? await outcomesOf(item, accepted.reused)
			: accepted.queries.map((one) => ({ query: one, how: accepted.how }));
	return await Promise.all(
		outcomes.map(async (one) => await readResult(item, one, query.definition)),
	);
}

async function outcomesOf(item: Item, reused: IDataObject[]): Promise<Outcome[]> {
	const now = Date.now() + (await connectionOf(item)).clockOffsetMs();
	return reused.map((query) => ({
		query,
		how: 'reused',
		ageMs: Math.max(0, now - createdAt(query)) || 0,
	}));
}

/** What several records of an item have in common: which of them an outcome is, it says itself. */
const sharedOf = ([first, ...others]: IDataObject[]): IDataObject =>
	Object.fromEntries(
		Object.entries(first).filter(([name, value]) => others.every((one) => one[name] === value)),
	);

/** Gives out what is there; waits before, if the operator wants to, once all items are sent. */
async function conclude(
	item: Item,
	definition: PaidQuery,
	{ records, warnings }: QueryInput,
	settings: Settings,
	{ expected, fields, secrets }: PreparedQuery,
	outcomes: Outcome[],
): Promise<Phase> {
	const { wait, simplify: isSimple, externalReference, pollIntervalMs: intervalMs } = settings;
	const { receipt } = item.run.shared(startSpending);
	const { mapping } = await connectionOf(item);
	const shape: Shape = {
		definition,
		mapping,
		expected,
		asked: records ? sharedOf(records.map(({ echo }) => echo)) : fields,
		echoed: records
			? {}
			: Object.fromEntries(Object.entries(fields).filter(([, one]) => one !== '')),
		isSimple,
		externalReference,
		warnings,
		secrets,
	};
	const give = (ended: Outcome[]) => {
		const rows = output(shape, ended);
		receipt.give(item, rows);
		return rows;
	};
	const isWaitedFor = ({ query }: Outcome) => {
		if (queryIdOf(query) === undefined) return false;
		const state = stateOf(query, mapping);
		const isAcknowledged = isAcknowledgement(query, definition.service) && state !== 'failed';
		return isAcknowledged || ['pending', 'unknown'].includes(state);
	};
	if (!wait || !outcomes.some(isWaitedFor)) return give(outcomes);
	const { maxMs } = wait;
	const next = async () =>
		give(
			await Promise.all(
				outcomes.map(async (outcome) =>
					isWaitedFor(outcome)
						? await waitForResult(item, outcome, { maxMs, intervalMs })
						: outcome,
				),
			),
		);
	return { together: true, next };
}
