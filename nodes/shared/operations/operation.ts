import type {
	IBinaryData,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	INodeCredentialDescription,
	INodeProperties,
	IWorkflowExecutionCustomData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { unmaskedFieldsOption, personalDataOption } from '../personalData/options';
import type { PersonalDataHider } from '../personalData/redactor';
import type { ExecutionState } from './execution';
import { includeOtherFields, type KnownOutputColumns } from './inputColumns';
import type { Outcome } from './outcome';
import type { Connection, ParsedBodyReader } from '../http/connection';
import type { ServiceRequest } from '../http/sendOnce';
import type { RequestResult } from '../http/requestError';
import type { JsonResponseBody } from '../errors/requestProblem';

export interface Item {
	index: number;
	run: Run;
	/** The workflow's time zone, in which an instant is a day. */
	timezone: string;
	/** Milliseconds to wait for a response. */
	timeoutMs: number;
	/** Continue On Fail: what failed comes out as an item. */
	continuesOnFail: boolean;
	/** An expression counts, even if it is empty for this item. */
	isEntered(name: string): boolean;
	/** A parameter's value for this item, expressions resolved. */
	parameter<T>(name: string): T;
	/** The "Options" collection for this item; {} if nothing was added. */
	options: IDataObject;
	/** The node's credential, for what it holds beside the token; throws if none of this type is chosen. */
	credentials(type: string): Promise<ICredentialDataDecryptedObject>;
	/** The connection to the service by the item's own credential, shared by the items of an account. */
	connection(): Promise<Connection>;
	/** Sends a request to the node's service, unless an item has failed meanwhile. Throws a RequestError; see Connection. */
	request(request: ItemRequest): Promise<JsonResponseBody>;
	read<T extends object>(request: ItemRequest, reader: ParsedBodyReader<T>): Promise<T>;
	tryRequest(request: ItemRequest): Promise<RequestResult>;
	/** Aborted when the execution is cancelled or an item has failed: nothing more is to be sent. */
	signal: AbortSignal;
	/** Waits `ms` milliseconds; throws as soon as the execution is cancelled. */
	wait(ms: number): Promise<void>;
	/** A row as it may come out by Personal Data, then in this shape. One that does not come from here is hidden whole. */
	protect: PersonalDataHider['shaped'];
	files: FileDownloadHelpers;
}

/** The state that the items of one run of a node share. */
export interface Run {
	/** n8n's execution; undefined where it has none (MCP Server Trigger). */
	executionId?: string;
	/** The root execution over all sub-workflows, as far as n8n reports it; undefined if there is none. */
	root?: string;
	/** This process's state of that execution, shared by its runs. */
	execution: ExecutionState;
	/** Identifies the node in every execution of its workflow. */
	node: string;
	/** The number of input items. */
	items: number;
	/** The index of the run in its execution (in a loop 0, 1, …); a retry by n8n has the index of its first try. */
	readonly index: number;
	mode: WorkflowExecuteMode;
	/** It was called by an AI agent. */
	isTool: boolean;
	/** The workflow's time zone. */
	timeZone: string;
	/** The node's data that n8n stores with its execution: it survives Retry On Fail and n8n's Retry of an execution. */
	memory: IDataObject;
	/**
	 * The time when the workflow's timeout ends the execution, by a monotonic clock; Infinity where that is not known.
	 */
	timeoutAt: number;
	/** Aborted when the execution is cancelled. */
	cancelled?: AbortSignal;
	/** `make` is the key of a value that all items of this run share; it is called on first use. */
	shared<T>(make: (run: Run) => T): T;
	/** Calls back once all items have ended. The returned text is added to the error that the run fails with. */
	atEnd(callback: FinishRun): void;
	hint(message: string): void;
	/** Metadata of the execution, where the host has it. */
	metadata?: IWorkflowExecutionCustomData;
}

/** The queries that an item or a run has spent; `text` ends their errors. */
export interface BillingSummary {
	text: string;
	/** The number of planned queries that are billed. */
	billed: number | 'unknown';
	queries: number;
	/** The IDs of those that were accepted. */
	queryIds?: string[];
	/** Items, counted from 1, of which nobody knows whether a query was accepted. */
	unsureItems?: number[];
}

/** The number of items that come out as failed, and of those that failed before anything was sent for them. */
export interface FailedItemCounts {
	all: number;
	unsent: number;
}

/** Gets the item that the run fails with, and how many come out as failed. */
export type FinishRun = (
	failure: { index: number } | undefined,
	failed: FailedItemCounts,
) => string | void;

export type ItemRequest = Omit<ServiceRequest, 'timeoutMs'>;

type Helpers = IExecuteFunctions['helpers'];

/** n8n's helpers for files: requests without a credential, and its store of binary data. */
export type FileDownloadHelpers = Pick<Helpers, 'httpRequest' | 'prepareBinaryData'>;

/** Rows that come out as items, those that have one with a file; under Continue On Fail errors in their place. */
export class RowsWithFiles {
	constructor(readonly rows: DownloadedRow[]) {}
}
export type DownloadedRow = { json: IDataObject; file?: IBinaryData } | { error: unknown };

/** The output of an item, or its next step once every item of the run has come as far. */
export type StepResult = IDataObject | IDataObject[] | RowsWithFiles | NextPhase;
export interface NextPhase {
	next(): Promise<StepResult>;
	/** All items at once instead of a few at a time, for they mostly wait. */
	together?: boolean;
}

/** An operation is data: its entry in the selector, its fields, and what it does with one item. */
export interface Operation {
	/** Title Case, as shown in the selector. */
	name: string;
	value: string;
	/** Sentence case, as shown in the node panel. */
	action: string;
	description: string;
	/** Below the node on the canvas, where that should be shorter than the action. */
	subtitle?: string;
	/**
	 * Describes the operation to a model: its purpose, cost and fields, and what to do with a pending result. At most
	 * 60 words.
	 */
	tool: string;
	fields: INodeProperties[];
	/** Entries of the "Options" collection, in the order in which they are offered; Timeout comes last. */
	options?: INodeProperties[];
	/** The operation needs no service: no credential, and no timeout to set. */
	isOffline?: true;
	/** No personal data can come out, so the panel offers neither Personal Data nor Fields to Keep. */
	hasNoPersonalData?: true;
	/** The operation changes or costs something at the service, so an earlier error says that nothing was sent. */
	isSending?: true;
	/** Its rows keep the columns of the input, unless the operator leaves them out. */
	keepsInput?: KnownOutputColumns;
	/** By the error's data of a failed item, where every row of the operation has an outcome. */
	failedOutcome?(data: IDataObject): Outcome;
	/** Without an index it is for all items of the run. */
	costOf?(run: Run, index?: number): BillingSummary;
	/** Gives one object, a list of them (possibly empty), or a next step. */
	execute(item: Item): Promise<StepResult>;
}

export interface Resource {
	name: string;
	value: string;
	operations: Operation[];
}

const timeoutOption: INodeProperties = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 60,
	description: 'How long to wait for the service',
};

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);

export function propertiesOfAllResources(resources: Resource[]): INodeProperties[] {
	const firstValue = resources[0].value;
	return [
		credentialsOnTop,
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ name, value }) => ({ name, value })).sort(byName),
			default: firstValue,
		},
		...resources.map(operationSelector),
		...resources.flatMap((resource) =>
			resource.operations.flatMap((operation) => fieldsOf(resource, operation)),
		),
	];
}

/** The editor would show a credential that depends on the resource below Resource. */
const credentialsOnTop: INodeProperties = {
	displayName: 'Credentials',
	name: 'credentials',
	type: 'credentials',
	default: '',
};

function operationSelector({ value, operations }: Resource): INodeProperties {
	const firstValue = operations[0].value;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: operations
			.map(({ name, value: own, action, description }) => ({
				name,
				value: own,
				action,
				description,
			}))
			.sort(byName),
		default: firstValue,
	};
}

function fieldsOf(resource: Resource, operation: Operation): INodeProperties[] {
	const here = { resource: [resource.value], operation: [operation.value] };
	const { options = [], isOffline, hasNoPersonalData } = operation;
	const ofData = hasNoPersonalData ? [] : [personalDataOption, unmaskedFieldsOption];
	const entries = isOffline ? options : [...options, ...ofData, timeoutOption];
	const collection: INodeProperties = {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: entries,
	};
	return [
		toolDescriptionOf(operation.tool),
		...operation.fields,
		...(operation.keepsInput ? [includeOtherFields] : []),
		...(entries.length > 0 ? [collection] : []),
	].map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, show: { ...here, ...field.displayOptions?.show } },
	}));
}

/**
 * n8n makes it from the action alone, and the editor gives the model's own parameters no description. The operator
 * may rewrite it.
 */
const toolDescriptionOf = (tool: string): INodeProperties => ({
	displayName: 'Tool Description',
	name: 'toolDescription',
	type: 'string',
	typeOptions: { rows: 4 },
	default: tool,
	description: 'What the AI agent reads about this tool',
	displayOptions: { show: { '@tool': [true] } },
});

/** It shows the operation below a node's name, as it is listed in the node panel or shorter. */
export function subtitleExpression(resources: Resource[]): string {
	const actions = Object.fromEntries(
		resources.flatMap((resource) =>
			resource.operations.map(({ value, subtitle, action }) => [
				`${resource.value} ${value}`,
				subtitle ?? action,
			]),
		),
	);
	return `={{ (${JSON.stringify(actions)})[$parameter["resource"] + " " + $parameter["operation"]] }}`;
}

type Shown = INodeCredentialDescription['displayOptions'];

/**
 * Undefined means all. A condition that names every resource would make the editor take Resource for the choice of
 * an authentication. It would then hide Resource with all that depends on credentials.
 */
export function onlineResources(resources: Resource[]): Shown {
	const online = resources.filter(({ operations }) => operations.some((one) => !one.isOffline));
	if (online.length === resources.length) return undefined;
	return { show: { resource: online.map(({ value }) => value) } };
}

export function findOperation(
	resources: Resource[],
	resource: string,
	operation: string,
): Operation | undefined {
	return resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
}

export const secretParameterNames = (resources: Resource[]): string[] => [
	...new Set(
		resources
			.flatMap(({ operations }) => operations)
			.flatMap(({ fields }) => fields)
			.filter(({ typeOptions }) => typeOptions?.password)
			.map(({ name }) => name),
	),
];
