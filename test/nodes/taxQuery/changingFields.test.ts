import { codeOf } from '../../support/errorCode';
import type { IDataObject, IExecuteContextData } from 'n8n-workflow';
import { fakeService, respondJson, type StoredQuery } from './fakeService';
import { getCrfParameters, rfcs } from './support';

const [RFC, OTHER] = rfcs(2);
/** Each try sends another text. */
const extra = (more = '') => ({
	additionalBodyFields: `={{ JSON.stringify({ at: $now.toISO() + Math.random()${more} }) }}`,
});
const item = { items: [{ rfc: RFC }] };

describe('a further try, whose Additional Body Fields hold something else', () => {
	let service: Awaited<ReturnType<typeof fakeService>>;
	let [losing, hides, refusing] = [0, false, 0];
	let answer: ((stored: StoredQuery) => unknown) | undefined;
	beforeEach(async () => {
		[losing, hides, refusing, answer] = [0, false, 0, undefined];
		service = await fakeService({
			post(accept, response) {
				if (refusing-- === 1) return respondJson(response, { message: 'Momentary' }, 400);
				const stored = accept();
				if (losing-- > 0) return void response.destroy();
				respondJson(response, answer ? answer(stored) : { queryId: stored._id });
			},
			list: (stored, response) => respondJson(response, hides ? [] : stored),
		});
	});
	afterEach(async () => await service.close());
	const requestedFor = () => service.billed.map(({ query }) => query.rfc).sort();

	it.each(['Retry On Fail', "the editor's Retry"])(
		'pays once for what was accepted: %s',
		async (how) => {
			refusing = 2;
			const memory: IExecuteContextData = {};
			const again = how === 'Retry On Fail' ? { maxTries: 2 } : { memory };
			const run = async () =>
				await service.run(getCrfParameters({}, extra()), {
					items: [{ rfc: RFC }, { rfc: OTHER }],
					...again,
				});
			const first = await run();
			const { items } = how === 'Retry On Fail' ? first : await run();
			const ids = items.map(({ json }) => json.queryId);
			expect([ids.sort(), requestedFor()]).toEqual([
				service.billed.map(({ _id }) => _id).sort(),
				[RFC, OTHER],
			]);
		},
	);

	it('finds what was accepted under the fields of the first try, when it is listed', async () => {
		[losing, hides] = [1, true];
		const memory: IExecuteContextData = {};
		const { error } = await service.run(getCrfParameters({}, extra()), { ...item, memory });
		hides = false;
		const { items } = await service.run(getCrfParameters({}, extra()), { ...item, memory });
		expect([codeOf(error), items.map(({ json }) => json.queryId), service.sent()]).toEqual([
			'unsure',
			service.billed.map(({ _id }) => _id),
			1,
		]);
	});

	it('sends nothing where it is not listed', async () => {
		[losing, hides] = [1, true];
		const { error } = await service.run(getCrfParameters({}, extra()), { ...item, maxTries: 2 });
		expect([codeOf(error), service.sent()]).toEqual(['unsure', 1]);
	});

	it.each([
		[false, true],
		[true, true],
		[true, false],
	])(
		'matches items that differ in an additional field (rejected: %s, changed: %s)',
		async (isOneLost, isChanging) => {
			const parameters = getCrfParameters(
				{ rfc: RFC, options: { simplify: false } },
				{
					additionalBodyFields: `={{ JSON.stringify({ ...$json${isChanging ? ', at: Math.random()' : ''} }) }}`,
				},
			);
			const items = [{ kind: 'issued' }, { kind: 'received' }];
			[losing, hides] = [2, true];
			const memory: IExecuteContextData = {};
			const how = { items, memory, onError: 'continueRegularOutput' as const };
			await service.run(parameters, how);
			const lost = isOneLost ? service.billed.splice(0, 1)[0].query.kind : undefined;
			hides = false;
			const again = await service.run(parameters, how);
			const kinds = again.items.map(({ json }) => (json.query as IDataObject)?.kind);
			expect(kinds).toEqual(items.map(({ kind }) => (kind === lost ? undefined : kind)));
		},
	);

	it('asks for another value where the field is one of the document', async () => {
		const memory: IExecuteContextData = {};
		const items = [{ rfc: RFC }];
		const by = (rfc: string) =>
			getCrfParameters({}, { additionalBodyFields: JSON.stringify({ rfc }) });
		await service.run(by(RFC), { items, memory });
		await service.run(by(OTHER), { items, memory });
		expect(requestedFor()).toEqual([RFC, OTHER]);
	});
});

describe('two items with different values in Additional Body Fields', () => {
	const sentFor = async (additionalBodyFields: string, items: IDataObject[]) => {
		const service = await fakeService();
		await service.run(getCrfParameters({}, { additionalBodyFields }), { items });
		await service.close();
		return service.billed.map(({ query }) => query);
	};

	it.each([
		['letters of another case', 'aB3x', 'Ab3X'],
		['a leading zero', '07', '7'],
		['an accent', 'á', 'a'],
		['another dash', 'a-b', 'a–b'],
		['a text for a boolean', true, 'true'],
		['another blank', 'a  b', 'a b'],
	])('are two queries where the difference is %s', async (_what, one, other) => {
		const items = [one, other].map((folio) => ({ rfc: RFC, folio }));
		const sent = await sentFor('={{ { folio: $json.folio } }}', items);
		expect(sent.map(({ folio }) => folio)).toEqual(expect.arrayContaining([one, other]));
		expect(sent).toHaveLength(2);
	});

	it('are two queries where the difference is under the name __proto__', async () => {
		const items = [1, 2].map((a) => ({ rfc: RFC, body: `{"__proto__": {"a": ${a}}, "b": 1}` }));
		const sent = await sentFor('={{ $json.body }}', items);
		expect(sent).toHaveLength(2);
	});
});
