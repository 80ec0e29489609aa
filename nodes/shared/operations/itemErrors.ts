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
		const cost = this.operations.get(failure.index)?.costOf?.(this.run, failure.index);
		return this.make(failure, cost, { more: [], isJoined: true });
	}

	/** The one that the run ends with; `more` is what the run says with it. */
	ofRun(failure: Failure, more: string[]): ItemError {
		const cost = this.operations.get(failure.index)?.costOf?.(this.run);
		return this.make(failure, cost, { more, isJoined: this.run.isTool });
	}

	private make(
		{ index, cause }: Failure,
		cost: Cost | undefined,
		{ more, isJoined }: { more: string[]; isJoined: boolean },
	): ItemError {
		const protection = this.protections.get(index);
		const isUnsent = this.isUnsent({ index, cause });
		const { words = '', ...data } = cost ?? {};
		return itemErrorOf(this.node, cause, this.run.items > 1 ? index : undefined, {
			...(protection && { hide: protection.text, isWithoutWords: true }),
			more: [isUnsent ? nothingSent(this.sent.size === 0) : '', ...more, words],
			data: { ...data, ...(isUnsent && { sent: false }) },
			isJoined,
		});
	}

	/** Whether nothing of an item that was to be sent went out, neither now nor in an earlier try. */
	private isUnsent({ index, cause }: Failure): boolean {
		const operation = this.operations.get(index);
		const isUnsure = cause instanceof RequestError && cause.accepted === 'unknown';
		if (!operation?.isSending || this.sent.has(index) || isUnsure) return false;
		return (operation.costOf?.(this.run, index).billed ?? 0) === 0;
	}
}
