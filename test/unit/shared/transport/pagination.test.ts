import { NodeApiError, type INode } from 'n8n-workflow';
import { readPages, type Page } from '../../../../nodes/shared/transport/pagination';

/** What services make of an offset beyond the end. */
const BEYOND = ['an empty page', 'the last page', 'the last whole page', '404', '416'] as const;
const NODE = { id: '1', name: 'n', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };

interface Service {
	rows: number;
	/** The most rows of a page. */
	cap: number;
	smallestPage: number;
	beyond: (typeof BEYOND)[number];
	tellsTotal: boolean;
	hasIds: boolean;
}

/** Always the same numbers, as good as by chance. */
function chances() {
	let state = 7;
	const below = (most: number) => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return Math.floor((state / 2 ** 32) * most);
	};
	return { below, oneOf: <T>(values: readonly T[]): T => values[below(values.length)] };
}

const upTo = (last: number, first: number) =>
	Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

function pageOf(service: Service, limit: number, offset: number): Page {
	const { rows, cap, beyond, tellsTotal, hasIds } = service;
	const size = Math.min(limit, cap);
	const isBeyond = rows > 0 && offset >= rows;
	if (isBeyond && /^\d+$/.test(beyond)) {
		throw new NodeApiError(NODE as unknown as INode, {}, { message: 'none', httpCode: beyond });
	}
	const last = {
		'the last page': Math.max(0, rows - size),
		'the last whole page': Math.floor((rows - 1) / size) * size,
	};
	const start = isBeyond && beyond in last ? last[beyond as keyof typeof last] : offset;
	const page = upTo(Math.min(rows, start + size), start + 1);
	return {
		rows: page.map((row) => ({ id: hasIds ? row : null, row })),
		...(tellsTotal && { total: rows }),
	};
}

async function readAll(service: Service, startAt: number, wanted: number) {
	const told: string[] = [];
	const given: unknown[] = [];
	const pages = readPages(async (limit, offset) => pageOf(service, limit, offset), {
		...{ startAt, wanted, smallestPage: service.smallestPage },
		onMissing: (message) => told.push(message),
	});
	for await (const page of pages) given.push(...page.map(({ row }) => row));
	return { given, told };
}

describe('Lists of every size', () => {
	it.each(BEYOND)(
		'are read whole, whatever is asked for, where beyond them is %s',
		async (beyond) => {
			const { below, oneOf } = chances();
			for (let trial = 0; trial < 150; trial++) {
				const service: Service = {
					rows: oneOf([below(340), 10 * below(30)]),
					cap: oneOf([100, 100, 4, 10, 13, 25, 30, 50, 64]),
					smallestPage: oneOf([1, 10]),
					tellsTotal: below(2) === 0,
					hasIds: below(4) > 0,
					beyond,
				};
				const startAt = oneOf([
					0,
					below(service.rows),
					Math.max(0, service.rows - oneOf([3, 10, 50])),
				]);
				const wanted = oneOf([Infinity, 1 + below(360), 10, 50, 100]);
				expect({ service, startAt, wanted, ...(await readAll(service, startAt, wanted)) }).toEqual({
					...{ service, startAt, wanted },
					given: upTo(Math.min(service.rows, startAt + wanted), startAt + 1),
					told: [],
				});
			}
		},
	);
});
