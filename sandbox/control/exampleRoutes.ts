import type { FastifyInstance } from 'fastify';
import { packagedAssets } from '../assets';
import { HttpError } from '../plugins/errors';

/** `start-here` leads to all others. */
const FIRST = 'start-here';
const files = Object.keys(packagedAssets.examples).sort(
	(one, other) => Number(other === FIRST) - Number(one === FIRST),
);

/** `GET /sandbox/examples`: the example workflows; `/{file}.json`: one, as n8n imports it. */
export function registerExampleWorkflowRoutes(app: FastifyInstance): void {
	app.get('/sandbox/examples', async () =>
		files.map((file) => {
			const { name } = JSON.parse(packagedAssets.examples[file]) as { name: string };
			return { file, name };
		}),
	);
	app.get<{ Params: { file: string } }>(
		'/sandbox/examples/:file.json',
		async ({ params: { file } }, reply) => {
			const workflow = packagedAssets.examples[file];
			if (!workflow) throw new HttpError(404, `There is no example ${file}`);
			return await reply
				.header('Content-Disposition', `attachment; filename="${file}.json"`)
				.type('application/json')
				.send(workflow);
		},
	);
}
