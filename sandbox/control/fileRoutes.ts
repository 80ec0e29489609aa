import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock';
import { FILES_PATH, SAMPLES } from '../data/files';
import { HttpError } from '../plugins/errors';

/** Serves the files, without a token like any signed address, until it expires. */
export function registerFileRoutes(app: FastifyInstance, clock: Clock): void {
	app.get<{ Params: { kind: string; name: string }; Querystring: { expires?: string } }>(
		`${FILES_PATH}/:kind/:name`,
		{ schema: { hide: true } },
		async ({ params: { kind, name }, query: { expires } }, reply) => {
			const file = SAMPLES.find((sample) => sample.name === name);
			if (!file) throw new HttpError(404, `There is no file ${name}`);
			if (!(Number(expires) > clock.now())) throw new HttpError(403, 'The address has expired');
			if (kind === 'download') {
				void reply.header('Content-Disposition', `attachment; filename="${name}"`);
			}
			return reply.type(file.mediaType).send(file.content);
		},
	);
}
