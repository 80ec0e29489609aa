import type { IDataObject } from 'n8n-workflow';
import {
	runAgainstStub,
	type StubRequest,
	type StubResponse,
} from '../../exhaustive/apiVariants/stubServer';
import { proposedMappingIn } from '../../support/readDiagnoseRows';
import { crfRecord } from './crfStubResponses';
import { operationParameters, rfcs } from './support';

const [RFC] = rfcs(1);
const all = Array.from({ length: 25 }, (_, index) => crfRecord(`d${index}`, RFC));

/** Diagnoses a service that lists so; each query is there by its ID. */
async function diagnose(
	list: (query: URLSearchParams) => StubResponse,
	apiMapping: object = {},
	byId: (request: StubRequest) => StubResponse = ({ path }) => ({
		body: crfRecord(String(path.split('/').at(-1)), RFC),
	}),
) {
	const { rows } = await runAgainstStub(
		(request) => (request.path === '/api/query' ? list(request.query) : byId(request)),
		operationParameters('connection', 'diagnose'),
		{ apiMapping },
	);
	const paging = rows.find(({ check }) => check === 'Paging of the list') as IDataObject;
	return { paging, suggested: proposedMappingIn(rows) };
}
const page = (from: number, size: number) => all.slice(from, from + size);

describe('Connection → Diagnose', () => {
	it('finds the paging parameters of a list that is truncated silently', async () => {
		const { paging, suggested } = await diagnose((query) => {
			const size = Math.min(Number(query.get('take') ?? 10), 10);
			return { body: page(Number(query.get('skip') ?? 0), size) };
		});
		expect(paging).toMatchObject({
			result: 'Change needed',
			seen: expect.stringMatching(/ 10 .* 25 /),
		});
		expect(suggested).toEqual({ list: { limit: 'take', offset: 'skip', pageSize: 10 } });
	});

	it('cannot know the paging of a list that takes no parameters', async () => {
		const { paging } = await diagnose(() => ({ body: all }));
		expect(paging.result).toBe('Not known');
	});

	it('accepts a list that refuses every parameter', async () => {
		const refused = { status: 400, body: { message: 'unknown parameter' } };
		const whole = { body: { consultas: page(0, 2) } };
		const { paging, suggested } = await diagnose(
			(query) => ([...query].length > 0 ? refused : whole),
			{},
			({ query }) => ([...query].length > 0 ? refused : { body: all[0] }),
		);
		expect(paging.result).toBe('OK');
		expect(suggested).toEqual({});
	});
});

describe('Connection → Diagnose of pages counted from 0', () => {
	const pages = (isReported: boolean) => (query: URLSearchParams) => {
		const size = Math.min(Number(query.get('size') ?? 10), 10);
		const content = page(Number(query.get('page') ?? 0) * size, size);
		return { body: isReported ? { content, totalElements: all.length } : content };
	};
	const list = { limit: 'size', page: 'page', pageSize: 10 };
	const proposal = { list: { ...list, firstPage: 0 } };

	it.each([true, false])('proposes them (total reported: %s)', async (isReported) => {
		const { paging, suggested } = await diagnose(pages(isReported));
		expect({ result: paging.result, suggested }).toEqual({
			...{ result: 'Change needed', suggested: proposal },
		});
	});

	it.each([true, false])(
		'finds that the API Mapping skips the newest page (total reported: %s)',
		async (isReported) => {
			const { paging, suggested } = await diagnose(pages(isReported), { list });
			expect({ result: paging.result, suggested }).toEqual({
				...{ result: 'Change needed', suggested: proposal },
			});
		},
	);

	it('finds nothing to do once the API Mapping has firstPage 0', async () => {
		const { paging } = await diagnose(pages(false), proposal);
		expect(paging.result).toBe('OK');
	});
});
