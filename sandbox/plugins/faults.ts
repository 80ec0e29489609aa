import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateMersenne32Randomizer } from '@faker-js/faker';
import { Type, type Static } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { closed, oneOf } from '../../contract/builders';
import type { Clock } from '../clock';
import type { SandboxOptions } from '../options';
import { HttpError } from './errors';
import { setLimitHeaders } from './limiter';
import { matchesPathPattern, pathOf } from '../pathPattern';

const Fault = Type.Union([
	oneOf([
		'storm', // 429, no point left
		'hang', // no answer, the connection stays open
		'resetBefore', // the connection is reset before the request was accepted
		'resetAfter', // … after it was accepted (and billed)
		'truncated', // accepted; the body ends in the middle
		'nonJson', // accepted; the body is a web page
		'expiredToken', // 401, not accepted
	]),
	closed({
		trickle: Type.Integer({
			minimum: 1,
			maximum: 600_000,
			description: 'Accepted; the response comes byte by byte, so many milliseconds apart',
		}),
	}),
	closed({
		large: Type.Integer({
			minimum: 1,
			maximum: 2 ** 31,
			description: 'Accepted; so many blanks follow the response',
		}),
	}),
	closed({ latency: Type.Integer({ minimum: 0, maximum: 600_000, description: 'Milliseconds' }) }),
	closed({
		status: Type.Integer({ minimum: 200, maximum: 599 }),
		headers: Type.Optional(Type.Record(Type.String(), Type.String())),
		body: Type.Optional(Type.Unknown()),
		accepted: Type.Optional(
			Type.Boolean({ description: 'Whether the request was accepted (and billed)' }),
		),
	}),
]);
type Fault = Static<typeof Fault>;

export const FaultRule = closed({
	method: Type.Optional(Type.String({ description: 'Any method, if left out' })),
	path: Type.String({
		pattern: '^/',
		description: 'Beginning of the path, e.g. /api/v1/credential or /api/query/:id',
	}),
	exact: Type.Optional(Type.Boolean({ description: 'The path is the whole path' })),
	seconds: Type.Optional(
		Type.Number({ minimum: 0, description: 'For how long; for ever, if left out' }),
	),
	times: Type.Optional(Type.Integer({ minimum: 1, description: 'How often; always, if left out' })),
	probability: Type.Optional(
		Type.Number({ minimum: 0, maximum: 1, description: 'How likely; 1, if left out' }),
	),
	fault: Fault,
});
export type FaultRule = Static<typeof FaultRule>;

const WINDOW_MS = 1000;
const BLANKS = Buffer.alloc(65_536, ' ');

/** It counts how often each rule was applied. */
export class Faults {
	private rules: Array<{ rule: FaultRule; applied: number; until: number }> = [];
	private random = generateMersenne32Randomizer();

	constructor(private readonly seed: number) {}

	/** Replaces all rules; counts and chance begin anew. */
	set(rules: FaultRule[]): void {
		this.rules = rules.map((rule) => ({
			rule,
			applied: 0,
			until: Date.now() + (rule.seconds ?? Infinity) * 1000,
		}));
		this.random = generateMersenne32Randomizer();
		this.random.seed(this.seed);
	}

	list(): Array<FaultRule & { applied: number }> {
		return this.rules.map(({ rule, applied }) => ({ ...rule, applied }));
	}

	save(): FaultRule[] {
		return this.rules.map(({ rule }) => rule);
	}

	load(rules: FaultRule[]): void {
		this.set(rules);
	}

	/** The faults that this request meets, in the order of the rules: any latencies, then at most one other. */
	match(method: string, path: string): Fault[] {
		const met: Fault[] = [];
		for (const entry of this.rules) {
			const { rule } = entry;
			if (rule.method && rule.method.toUpperCase() !== method) continue;
			if (!matchesPathPattern(rule.path, path, { prefix: !rule.exact })) continue;
			if (Date.now() >= entry.until) continue;
			if (rule.times !== undefined && entry.applied >= rule.times) continue;
			if (this.random.next() >= (rule.probability ?? 1)) continue;
			entry.applied++;
			met.push(rule.fault);
			if (typeof rule.fault === 'string' || !('latency' in rule.fault)) break;
		}
		return met;
	}
}

/** Lets the requests of this scope meet latency and faults. */
export function injectFaults(
	app: FastifyInstance,
	parts: { options: SandboxOptions; clock: Clock; closing: AbortSignal; faults: Faults },
): void {
	const { options, clock, closing, faults } = parts;
	const later = new WeakMap<FastifyRequest, Fault>();

	app.addHook('onRequest', async (request, reply) => {
		const wait = (ms: number) => sleep(ms, undefined, { signal: closing });
		if (options.latency > 0) await wait(options.latency);
		for (const fault of faults.match(request.method, pathOf(request.url))) {
			if (typeof fault === 'object' && 'latency' in fault) await wait(fault.latency);
			else if (isResponseFault(fault)) later.set(request, fault);
			else await applyBefore(fault, request, reply, { limit: options.rateLimit, clock });
		}
	});

	app.addHook('onSend', async (request, reply, payload) => {
		const fault = later.get(request);
		return fault === undefined ? payload : corrupt(fault, request, reply, String(payload), closing);
	});
}

type NamedFault = Extract<Fault, string>;
type ResponseFault = 'resetAfter' | 'truncated' | 'nonJson';
type Limiter = { limit: number; clock: Clock };

/** What the named faults do before the service has accepted the request. */
const BEFORE: Record<
	Exclude<NamedFault, ResponseFault>,
	(request: FastifyRequest, reply: FastifyReply, limiter: Limiter) => void
> = {
	hang: (_request, reply) => void reply.hijack(),
	resetBefore: (request, reply) => {
		reply.hijack();
		request.raw.socket.resetAndDestroy();
	},
	storm: (_request, reply, { limit, clock }) => {
		setLimitHeaders(reply, clock, { limit, remaining: 0, resetInMs: WINDOW_MS });
		throw new HttpError(429, 'All points of the rate limiter are consumed; wait until its reset');
	},
	expiredToken: () => {
		throw new HttpError(401, 'The token has expired');
	},
};

/** The payload that the named faults send in place of the service's response. */
const RESPONSES: Record<
	ResponseFault,
	(payload: string, request: FastifyRequest, reply: FastifyReply) => string
> = {
	resetAfter: (payload, request) => {
		request.raw.socket.resetAndDestroy();
		return payload;
	},
	truncated: (payload) => payload.slice(0, Math.floor(payload.length / 2)),
	nonJson: (_payload, _request, reply) => {
		void reply.type('text/html');
		return '<!doctype html><title>Gateway</title><p>The gateway has no response.</p>';
	},
};

const isNamedResponse = (fault: NamedFault): fault is ResponseFault => fault in RESPONSES;

/** Such a fault strikes only when the service has accepted the request and made its response. */
const isResponseFault = (fault: Fault): boolean =>
	typeof fault === 'string'
		? isNamedResponse(fault)
		: 'trickle' in fault || 'large' in fault || ('status' in fault && fault.accepted === true);

async function applyBefore(
	fault: Fault,
	request: FastifyRequest,
	reply: FastifyReply,
	limiter: Limiter,
): Promise<void> {
	if (typeof fault === 'string') {
		if (!isNamedResponse(fault)) BEFORE[fault](request, reply, limiter);
	} else if ('status' in fault) {
		await reply.send(sendStatus(fault, reply));
	}
}

function sendStatus(fault: Extract<Fault, { status: number }>, reply: FastifyReply): string {
	const { status, headers = {}, body } = fault;
	void reply.code(status).type('application/json').headers(headers);
	if (typeof body === 'string') return body;
	return JSON.stringify(body ?? { statusCode: status, message: `Fault with status ${status}` });
}

/** The payload takes the place of the answer. */
function corrupt(
	fault: Fault,
	request: FastifyRequest,
	reply: FastifyReply,
	payload: string,
	closing: AbortSignal,
) {
	reply.removeHeader('content-length');
	if (typeof fault === 'string') {
		return isNamedResponse(fault) ? RESPONSES[fault](payload, request, reply) : payload;
	}
	if ('trickle' in fault) return Readable.from(byteByByte(payload, fault.trickle, closing));
	if ('large' in fault) return Readable.from(withBlanks(payload, fault.large));
	return 'status' in fault ? sendStatus(fault, reply) : payload;
}

async function* byteByByte(payload: string, ms: number, signal: AbortSignal) {
	for (const byte of Buffer.from(payload)) {
		yield Buffer.of(byte);
		await sleep(ms, undefined, { signal });
	}
}

function* withBlanks(payload: string, count: number) {
	yield Buffer.from(payload);
	for (let left = count; left > 0; left -= BLANKS.length) yield BLANKS.subarray(0, left);
}
