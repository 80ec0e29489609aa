import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { QueryRecord } from '../../contract/taxQuery';
import type { SandboxContext } from '../context';
import { Refusal } from '../errors';
import { reserve } from '../people/reserved';
import { queryRoutes } from './queries';
import { Results } from './results';
import { tokens } from './token';

/** §4.12 shows no parameter; these are tolerated. */
const ListQuery = Type.Object({
	limit: Type.Optional(Type.Integer({ minimum: 1 })),
	offset: Type.Optional(Type.Integer({ minimum: 0 })),
	service: Type.Optional(Type.String()),
	status: Type.Optional(Type.String()),
});

/** The Tax and Identity Query service; its paths are relative to /api. */
export async function taxQueryService(
	app: FastifyInstance,
	context: SandboxContext,
): Promise<void> {
	const { people, queries: store } = context;
	const reserved = reserve(people);
	const results = new Results(context.options.seed, people);

	await tokens(app, context);
	queryRoutes(app, { people, results, store, reserved });

	app.get<{ Querystring: { limit?: number; offset?: number; service?: string; status?: string } }>(
		'/query',
		{ schema: { querystring: ListQuery, response: { 200: Type.Array(QueryRecord) } } },
		async ({ query: { limit, offset = 0, service, status } }) =>
			store
				.list()
				.filter((record) => service === undefined || record.service === service)
				.filter((record) => status === undefined || record.status === status)
				.slice(offset, limit === undefined ? undefined : offset + limit),
	);

	app.get<{ Params: { queryId: string } }>(
		'/query/:queryId',
		{ schema: { response: { 200: QueryRecord } } },
		async ({ params: { queryId } }) => {
			const record = store.find(queryId);
			if (!record) throw new Refusal(404, 'There is no query with this ID');
			return record;
		},
	);
}
