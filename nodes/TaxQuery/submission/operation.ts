import { defineOperation } from '../../shared/operations/fields';
import type {
	Item,
	NextPhase,
	Operation,
	StepResult,
	Run,
} from '../../shared/operations/operation';
import type { IDataObject } from 'n8n-workflow';
import type { Outcome } from '../../shared/operations/outcome';
import {
	buildQueryRequest,
	type PaidQueryDefinition,
	type QueryRequest,
	type ValidatedQueryInput,
} from '../request/queryRequest';
import { itemClient, type QueryClient } from '../client/queryClient';
import { withBilledIds } from '../errors/queryError';
import {
	buildPreviewRow,
	buildUnsentRow,
	PreviewSummary,
	type PreviewedQuery,
} from '../output/preview';
import { RunReceipt } from '../output/receipt';
import {
	mayStillGetResult,
	buildRows,
	type ObtainedQuery,
	type RowContext,
	type SubmittedQuery,
} from '../output/rows';
import { possibleColumnsOfQueryType } from '../output/simplify';
import {
	waitAndReuseFieldsOf,
	paidQueryOptions,
	USUAL_PRICE_TEXT,
	previewOnly,
	priceNotice,
} from './options';
import { countBilledQueries, acceptedIdsOf } from './submissionState';
import {
	newPreviewContext,
	newSubmissionContext,
	noteRead,
	type SubmissionOptions,
	type Submitted,
	type RunSubmissionContext,
} from './context';
import { sharesEqualRequests } from './sharing';
import { prepare, submit } from './submit';
import { mayBeWaitedFor, readByIdIfResultMissing, waitForResult } from './wait';
import { pickBy } from '../../shared/utils/objects';

interface PaidQuerySettings extends SubmissionOptions {
	additionalBodyFields: IDataObject;
	/** Milliseconds to wait for a result, once all items are sent. */
	wait: number | undefined;
	simplify: boolean;
	externalReference: unknown;
}

/** Prevents an AI agent from sending the query again, which would be billed again. */
const PENDING =
	'If outcome is pending, read the result later with Query → Get by queryId. Do not ask again.';
const COMES_AT_ONCE = 'The result comes at once.';

/** In this order: check, search a result to reuse, send, wait. */
export function paidQueryOperation(definition: PaidQueryDefinition): Operation {
	const { queryType, input, tool, hasNoResult, price = USUAL_PRICE_TEXT, ...shown } = definition;
	const paid = defineOperation({
		...shown,
		value: queryType.operation,
		tool: `${tool} ${hasNoResult ? 'It may be billed.' : `Billed: ${price}.`} ${queryType.isImmediate ? COMES_AT_ONCE : PENDING}`,
		fields: { price: priceNotice(definition), input, ...waitAndReuseFieldsOf(definition) },
		options: paidQueryOptions(definition),
		execute: async (item, { input: queries, isPreview, ...settings }) =>
			isPreview
				? await preview(item, definition, queries, settings)
				: await namingBilled(item, async () => await plan(item, definition, queries, settings)),
	});
	const execute: Operation['execute'] = async (item) => {
		const step = async () => await paid.execute(item);
		if (!(await previewOnly.read(item))) return await step();
		item.run.shared(startSpending).receipt.leaveOut(item);
		return await orUnsentRow(item, step);
	};
	const costOf: Operation['costOf'] = (run, index) =>
		run.shared(startSpending).receipt.costOf(index);
	const keepsInput = possibleColumnsOfQueryType(queryType);
	return { ...paid, execute, isSending: true, costOf, failedOutcome, keepsInput };
}

/** Returns what became of a failed item: a refused query is not billed, and an accepted one may still end. */
const failedOutcome = ({ outcome, sent, billed }: IDataObject): Outcome => {
	if (outcome !== undefined) return outcome as Outcome;
	if (sent === false) return 'notSent';
	return billed === 0 ? 'failed' : 'uncertain';
};

function startSpending(run: Run) {
	const receipt: RunReceipt = new RunReceipt(run, {
		gaps: () => context.past.gaps(),
		billed: (index) => countBilledQueries(context.journal.statesOf(index)),
		accepted: () => context.journal.statesOf().flatMap(acceptedIdsOf),
	});
	const context: RunSubmissionContext = newSubmissionContext(run, receipt);
	run.atEnd(() => context.limit.end());
	return { context, receipt };
}

function startPreview(run: Run) {
	const context = newPreviewContext(run);
	return { context, summary: new PreviewSummary(run, () => context.past.gaps()) };
}

/** Does everything but the sending, and says what a run would do. */
async function preview(
	item: Item,
	definition: PaidQueryDefinition,
	input: ValidatedQueryInput,
	settings: PaidQuerySettings,
): Promise<NextPhase> {
	const { context, summary } = item.run.shared(startPreview);
	const client = await itemClient(item);
	const target = { ...client, ...settings };
	const whole = buildQueryRequest(definition, input, target);
	const { reused, parts } = await prepare(context, item, whole, input, target);
	const shown = (fields: IDataObject) =>
		input.records ? { rfc: fields.rfc, period: fields.period } : fields;
	const next = async () => {
		const now = Date.now() + client.clockOffsetMs();
		const reuse = (query: SubmittedQuery | undefined, fields: IDataObject): PreviewedQuery => ({
			outcome: 'wouldReuse',
			requested: shown(fields),
			query,
			ageMs: query && withAge({ query, how: 'reused' }, now).ageMs,
		});
		const queries = reused.map((query) => reuse(query, query.request ?? whole.fields));
		for (const part of parts) {
			const { how, queries: own } = await submit(context, item, part, settings);
			for (const [index, { fields }] of part.expected.entries()) {
				if (how === 'planned') queries.push({ outcome: 'wouldSend', requested: shown(fields) });
				else if (how === 'lost') queries.push({ outcome: 'uncertain', requested: shown(fields) });
				else queries.push(reuse(own.at(index), fields));
			}
		}
		const more = { externalReference: settings.externalReference, warnings: input.warnings };
		const rows = queries.map((one) => buildPreviewRow(item, one, more));
		summary.add(item, rows, {
			operation: definition.queryType.operation,
			prices: client.prices(),
			isByDefault: settings.reuse?.isByDefault === true,
		});
		return rows;
	};
	return { next };
}

/** A preview goes on where an item of a run would fail before sending. */
async function orUnsentRow(item: Item, step: () => Promise<StepResult>): Promise<StepResult> {
	try {
		const result = await step();
		if (Array.isArray(result) || !('next' in result)) return result;
		const { next } = result as NextPhase;
		return { next: async () => await orUnsentRow(item, next) };
	} catch (error) {
		const row = buildUnsentRow(item, error);
		item.run.shared(startPreview).summary.add(item, [row]);
		return row;
	}
}

/** Does everything that is free, so that no item is sent before all of them are known to be right. */
async function plan(
	item: Item,
	definition: PaidQueryDefinition,
	input: ValidatedQueryInput,
	settings: PaidQuerySettings,
): Promise<NextPhase> {
	const { context, receipt } = item.run.shared(startSpending);
	const target = { ...(await itemClient(item)), ...settings };
	const whole = buildQueryRequest(definition, input, target);
	receipt.plan(item, whole, target.prices());
	const { reused, parts } = await prepare(context, item, whole, input, target);
	const next = async () => {
		const now = Date.now() + target.clockOffsetMs();
		const read = async (outcomes: ObtainedQuery[]) =>
			await Promise.all(
				outcomes.map(
					async (one) => await readByIdIfResultMissing(item, withAge(one, now), definition),
				),
			);
		const note = async (outcomes: ObtainedQuery[], part: QueryRequest) => {
			const seen = outcomes.map(({ query }) => query);
			await noteRead(context, item, part, seen);
			return outcomes;
		};
		const queries = await read(reused.map((query) => ({ query, how: 'reused' })));
		for (const part of parts) {
			const own = obtainedBy(await submit(context, item, part, settings));
			queries.push(...(await note(await read(own), part)));
		}
		receipt.take(
			item,
			queries,
			settings,
			sharesEqualRequests(settings.reuse) ? whole.sharingKey : undefined,
		);
		return await conclude(item, definition, input, target, whole, queries);
	};
	return { next: async () => await namingBilled(item, next) };
}

/** Only a preview plans, or leaves a lost query alone. */
const obtainedBy = ({ how, queries }: Submitted): ObtainedQuery[] =>
	how === 'planned' || how === 'lost' ? [] : queries.map((query) => ({ query, how }));

/** Runs work on an item; its error names what the item has been billed for nevertheless. */
async function namingBilled<T>(item: Item, work: () => Promise<T>): Promise<T> {
	return await work().catch((error: unknown) => {
		const { journal } = item.run.shared(startSpending).context;
		const ids = journal.statesOf(item.index).flatMap(acceptedIdsOf);
		throw ids.length === 0 ? error : withBilledIds(error, ids);
	});
}

/** Adds a query's age; `now` is by the service's clock. */
function withAge(outcome: ObtainedQuery, now: number): ObtainedQuery {
	const { query, how } = outcome;
	const { createdAt = now } = query.kind === 'record' ? query : {};
	return how === 'reused' ? { ...outcome, ageMs: Math.max(0, now - createdAt) } : outcome;
}

/** The rows show the other fields themselves. */
const sharedOf = ([first, ...others]: IDataObject[]): IDataObject =>
	pickBy(first, (name, value) => others.every((one) => one[name] === value));

/** If the operator wants results, it waits once all items are sent. */
async function conclude(
	item: Item,
	definition: PaidQueryDefinition,
	{ records, warnings }: ValidatedQueryInput,
	settings: PaidQuerySettings & Pick<QueryClient, 'mapping'>,
	request: QueryRequest,
	queries: ObtainedQuery[],
): Promise<StepResult> {
	const { wait, simplify: isSimple, externalReference, mapping } = settings;
	const { expected, fields, secrets } = request;
	const { receipt, context } = item.run.shared(startSpending);
	const rowSettings: RowContext = {
		definition,
		mapping,
		expected,
		requested: records
			? sharedOf(records.map(({ fields: { rfc, period } }) => ({ rfc, period })))
			: fields,
		mustEcho: records ? {} : pickBy(fields, (_, one) => one !== ''),
		isSimple,
		externalReference,
		warnings,
		secrets,
		protect: item.protect,
		billed: () => receipt.costOf(item.index).billed,
	};
	const give = (ended: ObtainedQuery[]) => {
		const rows = buildRows(rowSettings, ended);
		const unfinished = ended.filter((one) => mayStillGetResult(one, definition));
		receipt.give(item, rows, unfinished);
		return rows;
	};
	if (wait === undefined || !queries.some(mayBeWaitedFor)) return give(queries);
	const next = async () => {
		const ended = await Promise.all(
			queries.map(async (one) => await waitForResult(item, one, wait)),
		);
		const seen = ended.map(({ query }) => query);
		await noteRead(context, item, request, seen);
		return give(ended);
	};
	return { together: true, next: async () => await namingBilled(item, next) };
}
