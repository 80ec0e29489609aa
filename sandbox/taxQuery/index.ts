import { Type, type Static } from '@sinclair/typebox';
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

/** §4.12 does not show the list's shape either; this is the one with `queryList: 'page'`. */
const QueryPage = Type.Object({ data: Type.Array(QueryRecord), total: Type.Integer() });

const tags = ['Query'];

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

	app.get<{ Querystring: Static<typeof ListQuery> }>(
		'/query',
		{
			schema: {
				tags,
				summary: 'All queries made, newest first',
				querystring: ListQuery,
				response: { 200: Type.Union([Type.Array(QueryRecord), QueryPage]) },
			},
		},
		async ({ query: { limit = Infinity, offset = 0, service, status } }) => {
			const records = store
				.list()
				.filter((record) => service === undefined || record.service === service)
				.filter((record) => status === undefined || record.status === status);
			const data = records.slice(offset, offset + limit);
			return context.options.queryList === 'page' ? { data, total: records.length } : data;
		},
	);

	app.get<{ Params: { queryId: string } }>(
		'/query/:queryId',
		{ schema: { tags, summary: 'One query by its ID', response: { 200: QueryRecord } } },
		async ({ params: { queryId } }) => {
			const record = store.find(queryId);
			if (!record) throw new Refusal(404, 'There is no query with this ID');
			return record;
		},
	);
}
