import type { IDataObject } from 'n8n-workflow';
import { readSimplify, simplifyField } from '../shared/fields';
import type { Item, NextStep, Operation, Step } from '../shared/operation';
import { queryIdOf, stateOf } from '../shared/queries';
import { createdAt, newest, readHistory } from './history';
import type { QueryKind, Question } from './kinds';
import { optionsOf, readOptions, readWait, waitFields } from './options';
import { output, type Outcome } from './output';
import { Desk, type Asked } from './send';
import { waitForResult } from './waitForResult';

const HOUR_MS = 3_600_000;

const makeDesk = () => new Desk();
const makeHistories = () => new Map<string, Promise<IDataObject[]>>();

/** The operation of a query that costs money: check, look for a result to reuse, send, wait. */
export function askingOperation(kind: QueryKind): Operation {
	const { name, value, action, description } = kind;
	return {
		name,
		value,
		action,
		description,
		fields: [...kind.fields, ...(kind.isSynchronous ? [] : waitFields), simplifyField],
		options: optionsOf(kind),
		execute: async (item) => await prepare(item, kind),
	};
}

/** Everything that is free, so that no item is sent before all of them are known to be right. */
async function prepare(item: Item, kind: QueryKind): Promise<NextStep> {
	const question = await kind.read(item);
	const asked = toAsk(item, kind, question);
	const waiting = readWait(item, kind);
	const { externalReference, reuseHours, maxQueries } = asked.options;
	const desk = item.shared(makeDesk);
	const shape = {
		kind,
		echo: asked.wanted[0].echo,
		service: asked.wanted[0].service,
		isSimple: readSimplify(item),
		externalReference,
		warnings: question.warnings,
		secrets: asked.secrets,
	};
	/** Waits if the operator wants to, once all items are sent. */
	const conclude = (outcomes: Outcome[]): Step => {
		if (!waiting || outcomes.every(({ query }) => !isWaitedFor(query))) {
			return output(shape, outcomes);
		}
		const next = async () =>
			output(
				shape,
				await Promise.all(
					outcomes.map(async (outcome) =>
						isWaitedFor(outcome.query) ? await waitForResult(item, outcome, waiting) : outcome,
					),
				),
			);
		return { together: true, next };
	};

	const reusable = reuseHours > 0 ? await findReusable(item, asked) : undefined;
	if (reusable) return { next: async () => conclude(reusable.map(reused)) };

	const isFirst = !desk.asked.has(asked.key);
	desk.asked.add(asked.key);
	if (isFirst || reuseHours === 0) {
		desk.spending.plan(item.execution, asked.wanted.length, maxQueries);
	}
	const send = async () => {
		const { queries, recovered } = await desk.send(item, asked);
		return conclude(queries.map((query) => ({ query, recovered })));
	};
	if (reuseHours === 0) return { next: send };
	const next = async () =>
		await desk.alone(asked, async () => {
			const before = desk.accepted.get(asked.key);
			if (!before) return await send();
			return conclude(before.map((query) => ({ query, reusedAgeMs: 0 })));
		});
	return { next };
}

const isWaitedFor = (query: IDataObject) =>
	queryIdOf(query) !== undefined && stateOf(query) === 'pending';

const reused = (query: IDataObject): Outcome => ({
	query,
	reusedAgeMs: Math.max(0, Date.now() - createdAt(query)),
});

function toAsk(item: Item, kind: QueryKind, question: Question): Asked {
	const options = readOptions(item);
	const { additionalBodyFields } = options;
	const { fields, secret = [] } = question;
	const isOpen = (name: string) => kind.openNames !== undefined && name in kind.openNames;
	const nameOf = (name: string) =>
		isOpen(name) ? String(item.options[`${name}FieldName`] ?? name).trim() : name;
	const named = (values: IDataObject) =>
		Object.fromEntries(
			Object.entries(values)
				.map(([name, value]) => [nameOf(name), value] as const)
				.filter(([name]) => name !== ''),
		);
	const isOpenQuestion = ([name]: [string, unknown]) => !secret.includes(name);
	const known = Object.fromEntries(Object.entries(fields).filter(isOpenQuestion)) as IDataObject;
	const body = { ...named(fields), ...additionalBodyFields };
	const service = kind.isServiceShown
		? kind.service
		: String(item.options.serviceName ?? kind.service).trim();
	const wanted = (question.echoes ?? [known]).map((echo) => ({
		service,
		echo: { ...named(echo), ...additionalBodyFields },
	}));
	return {
		kind,
		body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== '')),
		secrets: secret.map((name) => String(fields[name])),
		wanted,
		key: JSON.stringify([kind.path, wanted]),
		options,
	};
}

/** Recent queries that asked the same: each the newest with a result, or else the newest still pending. */
async function findReusable(item: Item, asked: Asked): Promise<IDataObject[] | undefined> {
	const { listParameters, reuseHours } = asked.options;
	const histories = item.shared(makeHistories);
	const of = JSON.stringify(listParameters);
	const reading = histories.get(of) ?? readHistory(item, listParameters);
	histories.set(of, reading);
	const records = await reading;
	const since = Date.now() - reuseHours * HOUR_MS;
	const found = asked.wanted.map((wanted) => {
		const inState = (state: string) => (record: IDataObject) =>
			createdAt(record) >= since && stateOf(record) === state;
		return (
			newest(records, wanted, inState('success')) ?? newest(records, wanted, inState('pending'))
		);
	});
	const isWhole = (queries: typeof found): queries is IDataObject[] =>
		queries.every((query) => query !== undefined);
	return isWhole(found) ? found : undefined;
}
