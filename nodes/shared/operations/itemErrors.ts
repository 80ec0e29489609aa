import type { INode } from 'n8n-workflow';
import { nothingSent } from '../messages/words';
import type { Protection } from '../personalData/personalData';
import type { ServiceRequest } from '../transport/request';
import { RequestError } from '../transport/result';
import { itemErrorOf, type ItemError } from './itemError';
import type { Cost, Operation, Run } from './operation';

/** An item that failed, and why. */
export interface Failure {
	index: number;
	cause: unknown;
}

/** The errors of a run's items, and what they must know of each item beside its cause. */
export class ItemErrors {
	readonly operations = new Map<number, Operation>();
	/** How personal data comes out. */
	readonly protections = new Map<number, Protection>();
	/** Items of which a request went out that is no read. */
	private readonly sent = new Set<number>();

	constructor(
		private readonly node: INode,
		private readonly run: Run,
	) {}

	/** An item's request, which is noted as it goes out, unless it only reads. */
	watched<T extends Pick<ServiceRequest, 'method' | 'beforeSend'>>(index: number, request: T): T {
		if (request.method === 'GET') return request;
		const beforeSend = () => {
			request.beforeSend?.();
			this.sent.add(index);
		};
		return { ...request, beforeSend };
	}

	/** Where the run goes on. n8n passes on the message alone, so that it says all. */
	ofItem(failure: Failure): ItemError {
		return this.make(failure, [], true, failure.index);
	}

	/** The one that the run ends with; `more` is what the run says with it. */
	ofRun(failure: Failure, more: string[]): ItemError {
		return this.make(failure, more, this.run.isTool);
	}

	private make(
		{ index, cause }: Failure,
		more: string[],
		isJoined: boolean,
		costOf?: number,
	): ItemError {
		const operation = this.operations.get(index);
		const protection = this.protections.get(index);
		const { words = '', ...data }: Partial<Cost> = operation?.costOf?.(this.run, costOf) ?? {};
		const isUnsure = cause instanceof RequestError && cause.accepted === 'unknown';
		// neither now nor in an earlier try
		const isUnsent =
			operation?.isSending &&
			!this.sent.has(index) &&
			!isUnsure &&
			!operation.costOf?.(this.run, index).billed;
		return itemErrorOf(this.node, cause, this.run.items > 1 ? index : undefined, {
			...(protection && { hide: protection.text, isWithoutWords: true }),
			more: [isUnsent ? nothingSent(this.sent.size === 0) : '', ...more, words],
			data: { ...data, ...(isUnsent && { sent: false }) },
			isJoined,
		});
	}
}
