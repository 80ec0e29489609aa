import { Type, type Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { QueryRecord } from '../../../contract/taxQuery';
import type { SandboxContext } from '../../context';
import type { SandboxOptions } from '../../options';
import { HttpError } from '../../plugins/errors';
import { withResponseMapper } from '../../plugins/contractValidation';

/** Validates the list before it is mapped to the chosen shape, since TQ §4.12 does not show it. */
const Page = Type.Object({
	data: Type.Array(QueryRecord),
	total: Type.Integer(),
	next: Type.Union([Type.String(), Type.Null()]),
});

/** The records, given newest first, in the order that the options say; without one, by their IDs, which are random. */
function inOrder(order: SandboxOptions['listOrder'], records: QueryRecord[]): QueryRecord[] {
	if (order === 'newest') return records;
	if (order === 'oldest') return records.reverse();
	return records.sort((one, other) => (one._id < other._id ? -1 : 1));
}

/** TQ §4.12 and §4.13 */
export function registerQueryReadRoutes(
	app: FastifyInstance,
	{ queries, variant, options }: SandboxContext,
): void {
	const { limit, offset, page, firstPage, pageSize, fixed } = variant.list;
	const tags = ['Query'];
	/** TQ §4.12 shows no parameter; these are tolerated, and those that a mapping sends always are wanted. */
	const ListQuery = Type.Object({
		[limit]: Type.Optional(Type.Integer({ minimum: 1 })),
		[offset]: Type.Optional(Type.Integer({ minimum: 0 })),
		[page]: Type.Optional(Type.Integer({ minimum: firstPage })),
		service: Type.Optional(Type.String()),
		status: Type.Optional(Type.String()),
	});

	app.get<{ Querystring: Static<typeof ListQuery> & Record<string, unknown> }>(
		variant.path('getAll'),
		{
			schema: {
				tags,
				summary: 'All queries made',
				querystring: ListQuery,
				response: { 200: withResponseMapper(Page, (listed) => variant.page(listed)) },
			},
		},
		async ({ query, originalUrl }) => {
			for (const [name, value] of Object.entries(fixed)) {
				if (String(query[name]) !== String(value)) {
					throw new HttpError(400, `"${name}" in the query: must be "${String(value)}"`, name);
				}
			}
			const { service, status } = query;
			const records = inOrder(options.listOrder, queries.list())
				.filter((record) => service === undefined || variant.service(record.service) === service)
				.filter((record) => status === undefined || variant.status(record.status) === status);
			const wanted =
				(query[limit] as number | undefined) ?? (variant.isPaged ? pageSize : Infinity);
			const size = variant.isPaged ? Math.min(wanted, pageSize) : wanted;
			const number = query[page] as number | undefined;
			const start =
				number === undefined
					? ((query[offset] as number | undefined) ?? 0)
					: (number - firstPage) * size;
			const data = records.slice(start, start + size);
			const isLast = start + data.length >= records.length;
			const next = new URLSearchParams({
				...Object.fromEntries(Object.entries(query).map(([name, one]) => [name, String(one)])),
				...(number !== undefined
					? { [page]: String(number + 1) }
					: { [offset]: String(start + size) }),
			});
			const path = originalUrl.split('?', 1)[0];
			return { data, total: records.length, next: isLast ? null : `${path}?${next.toString()}` };
		},
	);

	app.get<{ Params: { queryId: string } }>(
		variant.path('get'),
		{
			schema: {
				tags,
				summary: 'One query by its ID',
				response: { 200: withResponseMapper(QueryRecord, (record) => variant.stored(record)) },
			},
		},
		async ({ params: { queryId } }) => {
			const record = queries.find(queryId);
			if (!record) throw new HttpError(404, 'There is no query with this ID');
			return record;
		},
	);
}
