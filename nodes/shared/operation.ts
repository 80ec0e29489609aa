import type { ICredentialDataDecryptedObject, IDataObject, INodeProperties } from 'n8n-workflow';
import type { ServiceRequest } from './request';

/** What an operation sees of the item it works on. */
export interface Item {
	index: number;
	/** The same for everything that this node does in one execution, also when it runs several times. */
	execution: string;
	/** A parameter's value for this item, expressions resolved. */
	parameter<T>(name: string): T;
	/** The "Options" collection for this item; {} if nothing was added. */
	options: IDataObject;
	/** A credential of the node beside the service's own token; throws if none of this type is chosen. */
	credentials(type: string): Promise<ICredentialDataDecryptedObject>;
	/** Sends a request to the node's service; see Connection.send. */
	request(
		request: Omit<ServiceRequest, 'itemIndex' | 'timeoutMs'>,
	): Promise<IDataObject | IDataObject[]>;
	/** Waits so many milliseconds; throws as soon as the execution is cancelled. */
	wait(ms: number): Promise<void>;
	/** One value for all items of this run, made by the first that asks; `make` is its key. */
	shared<T>(make: () => T): T;
}

/** What comes out for an item, or how it goes on once every item of the run has come as far. */
export type Step = IDataObject | IDataObject[] | NextStep;
export interface NextStep {
	next(): Promise<Step>;
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
	fields: INodeProperties[];
	/** Entries of the "Options" collection beside those that every operation has. */
	options?: INodeProperties[];
	/** Asks no service: no timeout to set. */
	isOffline?: true;
	/** Returns what comes out for the item: one object, a list of them (possibly empty), or a next step. */
	execute(item: Item): Promise<Step>;
}

export interface Resource {
	name: string;
	value: string;
	operations: Operation[];
}

const timeoutOption: INodeProperties = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 60,
	description: 'Seconds to wait for an answer of the service',
};

type Named = { name: string; displayName?: string };
const byName = (a: Named, b: Named) =>
	(a.displayName ?? a.name).localeCompare(b.displayName ?? b.name);

/** The properties of a node, derived from its resources: selectors, fields with displayOptions, options. */
export function propertiesOf(resources: Resource[]): INodeProperties[] {
	const firstValue = resources[0].value;
	return [
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

function operationSelector({ value, operations }: Resource): INodeProperties {
	const firstValue = operations[0].value;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: operations
			.map((operation) => ({
				name: operation.name,
				value: operation.value,
				action: operation.action,
				description: operation.description,
			}))
			.sort(byName),
		default: firstValue,
	};
}

function fieldsOf(resource: Resource, operation: Operation): INodeProperties[] {
	const here = { resource: [resource.value], operation: [operation.value] };
	const shownHere = (field: INodeProperties): INodeProperties => ({
		...field,
		displayOptions: {
			...field.displayOptions,
			show: { ...here, ...field.displayOptions?.show },
		},
	});
	const { fields, options = [], isOffline } = operation;
	if (isOffline) return fields.map(shownHere);
	return [
		...fields,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection' as const,
			placeholder: 'Add option',
			default: {},
			options: [...options, timeoutOption].sort(byName),
		},
	].map(shownHere);
}

/** The operation that an item's parameters name. */
export function findOperation(
	resources: Resource[],
	resource: string,
	operation: string,
): Operation | undefined {
	return resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
}
