import type { IDataObject, INode } from 'n8n-workflow';
import { nothingSentText } from '../errors/sentences';
import type { PersonalDataHider } from '../personalData/redactor';
import type { ServiceRequest } from '../http/sendOnce';
import { RequestError } from '../http/requestError';
import { toN8nNodeError, type N8nNodeError, type ItemErrorOptions } from './n8nNodeError';
import type { BillingSummary, FailedItemCounts, Operation, Run } from './operation';

export interface ItemFailure {
	index: number;
	cause: unknown;
}

/** The errors of a run's items, and what they must know of each item beside its cause. */
export class ItemErrorFactory {
	readonly operations = new Map<number, Operation>();
	/** The protection of each item's personal data; undefined for full output. */
	readonly protections = new Map<number, PersonalDataHider | undefined>();
	readonly failedItems: FailedItemCounts = { all: 0, unsent: 0 };
	/** Items for which a request went out that was no read. */
	readonly #sent = new Set<number>();
	readonly #node: INode;

	constructor(
		node: INode,
		readonly run: Run,
	) {
		this.#node = node;
	}

	/** An item's request, which is noted as it goes out, unless it only reads. */
	watched<T extends Pick<ServiceRequest, 'method' | 'beforeSend'>>(index: number, request: T): T {
		if (request.method === 'GET') return request;
		const beforeSend = () => {
			request.beforeSend?.();
			this.#sent.add(index);
		};
		return { ...request, beforeSend };
	}

	/** The run goes on: the item shows which one it is. */
	ofItem(failure: ItemFailure): N8nNodeError {
		const error = this.#make(failure, { costOf: failure.index });
		this.failedItems.all++;
		if (error.context.sent === false) this.failedItems.unsent++;
		return error;
	}

	/** An item's input as a failed item may repeat it. */
	protectInput(index: number, input: IDataObject): IDataObject {
		return this.protections.get(index)?.values(input) ?? input;
	}

	/** `more` holds further sentences of the run. */
	ofRun(failure: ItemFailure, more: string[]): N8nNodeError {
		const item = this.run.items > 1 ? failure.index + 1 : undefined;
		return this.#make(failure, { more, item, isJoined: this.run.isTool });
	}

	#make(
		{ index, cause }: ItemFailure,
		{
			more = [],
			costOf,
			...options
		}: Pick<ItemErrorOptions, 'more' | 'item' | 'isJoined'> & { costOf?: number },
	): N8nNodeError {
		const operation = this.operations.get(index);
		const protection = this.protections.get(index);
		const { text: costText = '', ...data }: Partial<BillingSummary> =
			operation?.costOf?.(this.run, costOf) ?? {};
		const isUncertain = cause instanceof RequestError && cause.accepted === 'unknown';
		// neither now nor in an earlier try
		const isUnsent =
			operation?.isSending &&
			!this.#sent.has(index) &&
			!isUncertain &&
			!operation.costOf?.(this.run, index).billed;
		return toN8nNodeError(this.#node, cause, {
			...options,
			...(protection && { hide: protection.text, omitsServiceMessage: true }),
			more: [isUnsent ? nothingSentText(this.#sent.size === 0) : '', ...more, costText],
			data: { ...data, ...(isUnsent && { sent: false }) },
		});
	}
}
