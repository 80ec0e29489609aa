import { Type, type Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { closed } from '../../contract/builders';
import type { Clock } from '../clock';

const Advance = closed({
	advance: Type.Integer({
		minimum: 0,
		maximum: 10 * 365 * 86_400_000,
		description: 'Milliseconds',
	}),
});

/** `GET` and `POST /sandbox/clock`: what was due until then comes at once, tokens and file addresses expire. */
export function registerClockRoutes(app: FastifyInstance, clock: Clock): void {
	const shown = () => ({ now: clock.iso(), skew: clock.save() });
	app.get('/sandbox/clock', async () => shown());
	app.post<{ Body: Static<typeof Advance> }>(
		'/sandbox/clock',
		{ schema: { body: Advance } },
		async ({ body: { advance } }) => {
			clock.load(clock.save() + advance);
			return shown();
		},
	);
}
