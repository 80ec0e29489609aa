import { UserError, type IDataObject } from 'n8n-workflow';
import {
	problemCode,
	toServiceMessageData,
	type Acceptance,
	type JsonResponseBody,
	type RequestProblem,
} from '../errors/requestProblem';
import type { OperationErrorAdvice } from '../errors/advice';
import {
	getSuggestedMappingKeys,
	renderRequestError,
	type ServiceHints,
} from '../errors/renderRequestError';

/** The result of a request, after all its attempts. */
export type RequestResult =
	| { ok: true; status: number; headers: IDataObject; body: JsonResponseBody }
	| { ok: false; problem: RequestProblem; accepted: Acceptance };

/**
 * The error of a request: data, and the text that `render` makes of it where it is shown. An operation that knows more
 * throws `withAdvice`; no code reads or changes the text.
 */
export class RequestError extends UserError {
	/** Stable, for programs and tests: "status.404", "network", "shape"; "unsure" where a POST may have been accepted. */
	readonly code: string;

	constructor(
		readonly service: ServiceHints,
		readonly problem: RequestProblem,
		readonly accepted: Acceptance = 'no',
		readonly advice: OperationErrorAdvice = {},
	) {
		const { message, description } = renderRequestError({ problem, accepted, advice }, service);
		super(message, { description });
		this.code = accepted === 'unknown' ? 'unsure' : problemCode(problem);
	}

	get status(): number | undefined {
		return 'status' in this.problem ? this.problem.status : undefined;
	}

	get data(): IDataObject {
		const { problem } = this;
		const rows = problem.kind === 'incomplete' && { given: problem.given, total: problem.total };
		const fault = problem.kind === 'network' && { fault: problem.code };
		return { ...toServiceMessageData(problem), ...rows, ...fault };
	}

	get mappingKeys(): string[] {
		return getSuggestedMappingKeys(this.problem, this.advice);
	}

	withAdvice(advice: OperationErrorAdvice): RequestError {
		return new RequestError(this.service, this.problem, this.accepted, {
			...this.advice,
			...advice,
		});
	}

	/** The message may repeat personal data. */
	withoutServiceMessage(): RequestError {
		const problem = {
			...this.problem,
			serviceMessage: undefined,
			isWithheld: undefined,
			location: undefined,
		};
		return new RequestError(this.service, problem, this.accepted, this.advice);
	}
}

/** Throws a RequestError if there is none. */
export function bodyOf(result: RequestResult, service: ServiceHints): JsonResponseBody {
	if (result.ok) return result.body;
	throw new RequestError(service, result.problem, result.accepted);
}
