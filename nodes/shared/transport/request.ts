import { createHash } from 'node:crypto';
import { BoundedMap } from '../utils/boundedMap';
import type { Said } from '../http/problem';
import { saidBy } from '../http/said';
import { ClockOffset } from './clockOffset';
import type { RequestContext, ServiceRequest } from './exchange';
import { rateLimiterFor } from '../rateLimit/rateLimiter';
import {
	bodyOf,
	isProblem,
	RequestError,
	type JsonBody,
	type Problem,
	type Result,
} from './result';
import { acceptedOf } from './retry';
import { sendRequest, Statistics, type Line } from './sending';
import type { Service } from './service';

export type { RequestContext, ServiceRequest } from './exchange';

/** What a body holds, or why it is not what was asked for. */
export type Reader<T extends object> = (body: JsonBody) => T | Problem;

export interface Connection<Mapping = unknown> {
	/** What the service calls things, by the credential's API Mapping. */
	mapping: Mapping;
	/** The same for all connections of this process to the same base URL as the same client. */
	client: string;
	/** The same for the same client of the same base URL, whatever its token is. */
	account: string;
	/**
	 * Sends one request, paced, and repeated only where that cannot cost twice: at most five times, and a minute in all
	 * beside the waits for a reset. Throws only what its `beforeSend` or the credential throws, and where the execution
	 * is cancelled in a pause.
	 */
	send(request: ServiceRequest): Promise<Result>;
	/** The same; resolves with the body, and throws a RequestError where there is none. */
	request(request: ServiceRequest): Promise<JsonBody>;
	/** The same; resolves with what the body holds, and throws a RequestError where that is a problem, too. */
	read<T extends object>(request: ServiceRequest, reader: Reader<T>): Promise<T>;
	/** The service's own words in a body; withheld where they repeat a secret of the credential, or one of these. */
	said(body: unknown, secrets?: string[]): Said;
	/** By which pseudonyms are made; '' if the credential holds none. */
	pseudonymKey: string;
	/** Milliseconds by which the service's clock is ahead of this machine's; 0 until a response tells. */
	clockOffsetMs(): number;
	/** What the rate limit and faults have cost so far. */
	statistics: Pick<Statistics, 'waitedMs' | 'repeated'>;
}

/** What is known of the clocks of services, by their root. */
const clocks = new BoundedMap<string, ClockOffset>(500);

/**
 * Opens the one door to a service. The credential is read once, and again where its token ends. Throws if it is missing
 * or cannot be right.
 */
export async function connect<Mapping>(
	context: RequestContext,
	service: Service<Mapping>,
): Promise<Connection<Mapping>> {
	const held = { data: await context.getCredentials(service.credentialType) };
	const root = service.root(held.data);
	const mapping = service.mapping(held.data);
	const clock = clocks.getOrMake(root, () => new ClockOffset());
	const statistics = new Statistics();
	const line: Line = {
		context,
		service,
		held,
		clock,
		statistics,
		execution: context.getExecutionId() ?? context.getNode().id,
		signal: context.getExecutionCancelSignal?.(),
		rateLimiter: rateLimiterFor({
			baseUrl: root,
			token: service.limitedBy(held.data),
			pointsPerSecond: service.pointsPerSecond(held.data),
			processes: service.processes?.(held.data),
		}),
	};
	const send = async (asked: ServiceRequest) => await sendRequest(line, asked);
	const request = async (asked: ServiceRequest) => bodyOf(await send(asked), service);
	const said = (body: unknown, secrets: string[] = []) =>
		saidBy(body, [...service.secrets(held.data), ...secrets]);

	async function read<T extends object>(asked: ServiceRequest, reader: Reader<T>): Promise<T> {
		const body = await request(asked);
		const value = reader(body);
		if (!isProblem(value)) return value;
		const problem = { ...value, ...said(body, asked.secrets) };
		throw new RequestError(service, problem, acceptedOf(problem, asked.method));
	}

	return {
		mapping,
		client: nameOf(root, service.limitedBy(held.data)),
		account: nameOf(root, service.account?.(held.data)),
		send,
		request,
		read,
		said,
		pseudonymKey: String(held.data.pseudonymKey ?? ''),
		clockOffsetMs: () => clock.ms,
		statistics,
	};
}

/** Tells two clients of services apart, and neither of them. */
const nameOf = (root: string, who = ''): string =>
	createHash('sha256')
		.update(JSON.stringify([root, who]))
		.digest('base64url');
