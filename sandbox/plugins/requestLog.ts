import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../clock';
import { pathOf } from '../pathPattern';

/** Secrets are masked. */
export interface LoggedRequest {
	id: number;
	/** ISO 8601, by the services' clock. */
	at: string;
	method: string;
	path: string;
	query: unknown;
	headers: Record<string, unknown>;
	body?: unknown;
	/** Null: no answer was given (yet); the connection hangs or was reset. */
	status: number | null;
}

/** More than the largest test sends; the oldest are dropped beyond it. */
const MAX_REQUESTS = 20_000;
const SECRET = /password|secret|token|ciec|authorization|cookie|(api|private|public)[-_]?key/i;
const MASK = '***';

/** Fields are masked under an environment's own names, too. The scheme word of a header stays. */
function masked(value: unknown, own: string[] = [], name = ''): unknown {
	if (Array.isArray(value)) return value.map((entry) => masked(entry, own, name));
	if (typeof value === 'object' && value !== null) {
		return Object.fromEntries(
			Object.entries(value).map(([key, field]) => [key, masked(field, own, key)]),
		);
	}
	if (
		(!SECRET.test(name) && !own.includes(name)) ||
		value === null ||
		value === undefined ||
		value === ''
	)
		return value;
	const scheme = name.toLowerCase() === 'authorization' && /^(\w+) /.exec(String(value));
	return scheme ? `${scheme[1]} ${MASK}` : MASK;
}

export class RequestLog {
	private entries: LoggedRequest[] = [];
	private nextId = 1;

	/** `secretNames`: the mapping's own names of secret fields. */
	constructor(
		private readonly secretNames: string[],
		private readonly clock: Clock,
	) {}

	mask(value: unknown): unknown {
		return masked(value, this.secretNames);
	}

	add(request: FastifyRequest): LoggedRequest {
		const entry: LoggedRequest = {
			id: this.nextId++,
			at: this.clock.iso(),
			method: request.method,
			path: pathOf(request.url),
			query: this.mask(request.query),
			headers: this.mask(request.headers) as LoggedRequest['headers'],
			status: null,
		};
		this.entries.push(entry);
		if (this.entries.length > MAX_REQUESTS) this.entries.shift();
		return entry;
	}

	/** Oldest first. */
	list(): readonly LoggedRequest[] {
		return this.entries;
	}

	clear(): void {
		this.entries = [];
	}
}

/** Logs every request that reaches the routes of this scope. */
export function logRequests(app: FastifyInstance, log: RequestLog): void {
	const open = new WeakMap<FastifyRequest, LoggedRequest>();
	app.addHook('onRequest', async (request) => {
		open.set(request, log.add(request));
	});
	app.addHook('preValidation', async (request) => {
		const entry = open.get(request);
		if (entry && request.body !== undefined) entry.body = log.mask(request.body);
	});
	app.addHook('onResponse', async (request, reply) => {
		const entry = open.get(request);
		if (entry) entry.status = reply.raw.headersSent ? reply.statusCode : null;
	});
}
