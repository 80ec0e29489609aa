import type { IDataObject } from 'n8n-workflow';
import { operation } from '../../shared/operations/field';
import { simplify } from '../../shared/operations/fields';
import type { Item, NextPhase, Operation, Phase, Run } from '../../shared/operations/operation';
import { createdAt, queryIdOf, stateOf } from '../queries';
import { codeOf, pathOf } from '../queries/catalog';
import { connectionOf } from '../queries/client';
import type { PaidQuery, QueryInput } from './definition';
import type { ExpectedRecord } from './findQuery';
import { fieldsOf, optionsOf, type Reuse, type Wait } from './options';
import { output, type Outcome, type Shape } from './output';
import { Receipt } from './receipt';
import { QuerySender, type PreparedQuery } from './send';
import { waitForResult } from './waitForResult';

/** What an item's fields and options say, beside what it asks. */
interface Settings {
	wait: Wait | undefined;
	reuse: Reuse | undefined;
	simplify: boolean;
	externalReference: unknown;
	maxQueries: number;
	maxQueriesPerDay: number;
	sendAgain: boolean;
	pollIntervalMs: number;
	additionalBodyFields: IDataObject;
}

/** The operation of a query that costs money: check, look for a result to reuse, send, wait. */
export function paidQueryOperation(definition: PaidQuery): Operation {
	const { service, name, action, description, subtitle, credential, input } = definition;
	return operation({
		name,
		value: service.operation,
		action,
		description,
		subtitle,
		credential,
		fields: { input, ...fieldsOf(definition), simplify },
		options: optionsOf(definition),
		execute: async (item, { input: asked, ...settings }) =>
			await plan(item, definition, asked, settings),
	});
}

/** What the items of a run share. */
function startSpending(run: Run) {
	const sender = new QuerySender(run);
	run.atEnd(() => sender.limit.end());
	return { sender, receipt: new Receipt(run), planned: new Set<string>() };
}

/** Everything that is free, so that no item is sent before all of them are known to be right. */
async function plan(
	item: Item,
	definition: PaidQuery,
	input: QueryInput,
	settings: Settings,
): Promise<NextPhase> {
	const { sender, receipt, planned } = item.run.shared(startSpending);
	const whole = await prepareQuery(item, definition, input, settings);
	const { reuse } = settings;
	const isKept = sender.journal.find(item, whole.question) !== undefined;
	const reusable =
		reuse && !isKept
			? await sender.history.findReusable(item, whole.expected, reuse.since)
			: whole.expected.map(() => undefined);
	if (reuse && !isKept) receipt.note((await sender.history.read(item, reuse.since)).cutOff);
	const parts = await missingParts(item, definition, input, settings, whole, reusable);

	for (const part of parts) {
		const isFirst = !planned.has(part.question);
		planned.add(part.question);
		if (!isKept && (isFirst || !reuse)) {
			await sender.limit.plan(item, part.expected.length, part.limits);
		}
	}
	const next = async () => {
		const outcomes = await outcomesOf(item, reusable.filter(isDefined));
		for (const part of parts) outcomes.push(...(await ask(item, sender, part, reuse)));
		receipt.take(outcomes, settings.externalReference, reuse?.isByDefault === true);
		return await conclude(item, definition, input, settings, whole, outcomes);
	};
	return { next };
}

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;

/** What is still to be paid for: all of it, or what can be asked for without the records that are there. */
async function missingParts(
	item: Item,
	definition: PaidQuery,
	input: QueryInput,
	settings: Settings,
	whole: PreparedQuery,
	reusable: Array<IDataObject | undefined>,
): Promise<PreparedQuery[]> {
	if (reusable.every(isDefined)) return [];
	const { records, only } = input;
	if (!reusable.some(isDefined)) return [whole];
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
	const isKept = sender.journal.find(item, query.question) !== undefined;
	const accepted =
		reuse && !isKept
			? await sender.sendOnce(item, query, reuse.since)
			: await sender.send(item, query);
	if ('reused' in accepted) return await outcomesOf(item, accepted.reused);
	return accepted.queries.map((one) => ({ query: one, how: accepted.how }));
}

async function outcomesOf(item: Item, reused: IDataObject[]): Promise<Outcome[]> {
	const now = Date.now() + (await connectionOf(item)).clockOffsetMs();
	return reused.map((query) => ({
		query,
		how: 'reused',
		ageMs: Math.max(0, now - createdAt(query)) || 0,
	}));
}

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
	const [{ service }] = expected;
	const shape: Shape = {
		definition,
		mapping,
		service,
		asked: records?.[0].echo ?? fields,
		isSimple,
		externalReference,
		warnings,
		secrets,
	};
	const give = (ended: Outcome[]) => {
		const rows = output(shape, ended);
		receipt.give(item.index, rows);
		return rows;
	};
	const isWaitedFor = ({ query }: Outcome) =>
		queryIdOf(query) !== undefined && ['pending', 'unknown'].includes(stateOf(query, mapping));
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

/** A query in the deployment's words, by the API Mapping. */
async function prepareQuery(
	item: Item,
	definition: PaidQuery,
	{ fields, secret = [], records }: QueryInput,
	{ additionalBodyFields, sendAgain, maxQueries, maxQueriesPerDay }: Settings,
): Promise<PreparedQuery> {
	const { mapping, client } = await connectionOf(item);
	const { operation: value, path } = definition.service;
	const names = mapping.fields[value] ?? {};
	const named = (values: IDataObject) =>
		Object.fromEntries(
			Object.entries(values)
				.map(([name, one]) => [names[name] ?? name, one] as const)
				.filter(([name, one]) => name !== '' && one !== ''),
		);
	const documentNames = Object.fromEntries(
		Object.entries(names).map(([name, deployed]) => [deployed, name]),
	);
	const inDocumentNames = (values: IDataObject) =>
		Object.fromEntries(
			Object.entries(values).map(([name, one]) => [documentNames[name] ?? name, one]),
		);
	const open = Object.fromEntries(
		Object.entries(fields).filter(([name]) => !secret.includes(name)),
	);
	const service = codeOf(definition.service, mapping);
	const expected = (records ?? [{ echo: open }]).map((record): ExpectedRecord => {
		const echo = { ...named(record.echo), ...additionalBodyFields };
		const { isExact } = { isExact: undefined, ...record };
		return {
			service,
			echo,
			isExact: (echoed) => (isExact ? isExact(inDocumentNames(echoed)) : holdsNoMore(echoed, echo)),
		};
	});
	const body = { ...named(fields), ...additionalBodyFields };
	const asked = Object.entries({ ...named(open), ...additionalBodyFields }).sort();
	return {
		definition,
		path: pathOf(value, path, mapping),
		fields: open,
		body,
		secrets: secret.map((name) => String(fields[name])),
		expected,
		question: JSON.stringify([client, value, asked]),
		limits: { maxQueries, maxQueriesPerDay },
		sendAgain,
	};
}

const holdsNoMore = (echoed: IDataObject, echo: IDataObject) =>
	Object.entries(echoed).every(
		([name, value]) => name in echo || value === '' || value === null || value === undefined,
	);
