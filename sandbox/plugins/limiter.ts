import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../clock';
import { HttpError } from './errors';

const WINDOW_S = 1;

/** Sets the headers of CP §8.4; `resetInMs` from now. */
export function setLimitHeaders(
	reply: FastifyReply,
	clock: Clock,
	points: { limit: number; remaining: number; resetInMs: number },
): void {
	void reply.headers({
		'X-RateLimit-Limit': points.limit,
		'X-RateLimit-Remaining': points.remaining,
		'X-RateLimit-Reset': clock.now() + points.resetInMs,
	});
}

/**
 * Limits points per second and token, or per client address without one (CP §8). Each request consumes one. The
 * window begins with the first request after the last one ended. Sets the headers of CP §8.4 unless disabled, and
 * refuses with 429 when no point is left. With 0 points there is neither limit nor header.
 */
export function limiter(points: number, clock: Clock, { headers = true } = {}) {
	const memory = new RateLimiterMemory({ points, duration: WINDOW_S });
	return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
		if (points === 0) return;
		const { authorization } = request.headers;
		const key = authorization ? `token ${authorization}` : `address ${request.ip}`;
		const consumed = await memory.consume(key).catch((refused: unknown) => {
			if (refused instanceof RateLimiterRes) return refused;
			throw refused;
		});
		if (headers) {
			setLimitHeaders(reply, clock, {
				limit: points,
				remaining: consumed.remainingPoints,
				resetInMs: consumed.msBeforeNext,
			});
		}
		if (consumed.consumedPoints > points) {
			throw new HttpError(429, 'All points of the rate limiter are consumed; wait until its reset');
		}
	};
}
