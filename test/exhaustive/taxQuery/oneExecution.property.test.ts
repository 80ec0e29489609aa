import fc from 'fast-check';
import type { IExecuteContextData, INodeParameters } from 'n8n-workflow';
import { withoutWaiting } from '../../support/clock';
import type { NodeRunOptions } from '../../support/runNodeInEngine';
import { respondJson } from '../../support/testServer';
import { getCrfParameters, rfcs } from '../../nodes/taxQuery/support';
import {
	tenantService,
	type BilledPostAwaitingResponse,
} from '../../nodes/taxQuery/fakeTenantService';

const taxpayers = rfcs(4);
const spellings = [
	(rfc: string) => rfc,
	(rfc: string) => rfc.toLowerCase(),
	(rfc: string) => ` ${rfc.slice(0, 4)} ${rfc.slice(4)}`,
];
const normalized = (rfc: string) => rfc.replaceAll(' ', '').toUpperCase();

const item = fc.record({
	tenant: fc.constantFrom('A', 'B'),
	rfc: fc
		.tuple(fc.constantFrom(...taxpayers), fc.constantFrom(...spellings))
		.map(([rfc, spell]) => spell(rfc)),
});
const items = fc.array(item, { minLength: 1, maxLength: 4 });
const step = fc.oneof(
	fc.record({ how: fc.constantFrom('run', 'loop', 'sub', 'retry'), items, tries: fc.nat(2) }),
	fc.record({ how: fc.constantFrom('tools', 'toolsInTurn'), items, tries: fc.nat(2) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** They are in the order in which paid POSTs arrive. */
const outcomes = fc.constantFrom<'accept' | 'lose' | 'drop' | 'refuse' | 'busy'>(
	...(['accept', 'accept', 'accept', 'lose', 'drop', 'refuse', 'busy'] as const),
);

let program = 0;

/** Runs a program of calls of the node, as one execution of n8n with its sub-executions and its Retry. */
async function perform(
	steps: Step[],
	fates: string[],
	options: INodeParameters,
	reuse?: string,
): Promise<{ billed: Record<string, string[]>; close(): Promise<void> }> {
	const answers: Record<string, (arrived: BilledPostAwaitingResponse) => void> = {
		accept: ({ accept, response }) =>
			respondJson(response, { message: 'ok', queryId: accept()._id }),
		lose: ({ accept, response }) => void (accept(), response.destroy()),
		drop: ({ response }) => void response.destroy(),
		refuse: ({ response }) => respondJson(response, { message: 'No' }, 422),
		busy: ({ response }) => respondJson(response, { message: 'Later' }, 429),
	};
	const service = await tenantService({
		post: (arrived) => answers[fates[arrived.before] ?? 'accept'](arrived),
	});
	const name = `program-${++program}`;
	let executionId = name;
	let memory: IExecuteContextData = {};
	let mode: NodeRunOptions['mode'];
	let round = 0;
	let subs = 0;
	const run = async (of: Step['items'], more: Partial<NodeRunOptions>) => {
		return await service.run(getCrfParameters(reuse === undefined ? {} : { reuse }, options), {
			...{ items: of, onError: 'continueRegularOutput', executionId, memory, mode, ...more },
		});
	};
	/** n8n runs a tool again under the next run index, as it does for another call of the model. */
	const call = async (one: Step['items'][number], tries: number) => {
		for (let left = tries; left >= 0; left--) {
			const { error } = await run([one], { isTool: true, onError: undefined, ranBefore: round++ });
			if (!error) return;
		}
	};
	for (const { how, items: of, tries } of steps) {
		const maxTries = tries > 0 ? tries + 1 : undefined;
		if (how === 'tools') await Promise.all(of.map(async (one) => await call(one, tries)));
		else if (how === 'toolsInTurn') for (const one of of) await call(one, tries);
		else if (how === 'sub') {
			const sub = { executionId: `${name}-sub-${++subs}`, memory: {} };
			await run(of, { ...sub, parentExecutionId: executionId, mode: 'integrated', maxTries });
		} else if (how === 'retry') {
			// n8n gives the Retry an ID of its own, and what was saved
			executionId = `${name}-retry-${round}`;
			memory = JSON.parse(JSON.stringify(memory)) as IExecuteContextData;
			mode = 'retry';
			await run(of, { ranBefore: round, maxTries });
		} else await run(of, { ranBefore: how === 'loop' ? ++round : round, maxTries });
	}
	const of = (tenant: string) => service.billedOf(tenant).map(({ query }) => String(query.rfc));
	return { billed: { A: of('A'), B: of('B') }, close: service.close };
}

describe('a random program of items, rounds, tool calls, sub-executions, tries and retries', () => {
	const programs = fc.tuple(
		fc.array(step, { minLength: 1, maxLength: 5 }),
		fc.array(outcomes, { maxLength: 20 }),
	);

	it('is billed at most once for each question of each account', async () => {
		await fc.assert(
			fc.asyncProperty(programs, async ([steps, fates]) => {
				const { billed, close } = await withoutWaiting(async () => await perform(steps, fates, {}));
				await close();
				for (const rfcsOf of Object.values(billed)) {
					expect(rfcsOf).toHaveLength(new Set(rfcsOf).size);
				}
			}),
			{ numRuns: 40 },
		);
	}, 300_000);

	it('is billed at most once for each item where Reuse Results is Never', async () => {
		await fc.assert(
			fc.asyncProperty(programs, async ([steps, fates]) => {
				const { billed, close } = await withoutWaiting(
					async () => await perform(steps, fates, {}, 'never'),
				);
				await close();
				const requested = steps.flatMap((taken) => taken.items);
				for (const [tenant, rfcsOf] of Object.entries(billed)) {
					for (const rfc of taxpayers) {
						const items = requested.filter(
							(one) => one.tenant === tenant && normalized(one.rfc) === rfc,
						);
						const paid = rfcsOf.filter((of) => of === rfc);
						expect(paid.length).toBeLessThanOrEqual(items.length);
					}
				}
			}),
			{ numRuns: 40 },
		);
	}, 300_000);

	it('stays within the limits of an execution and of a day', async () => {
		const limits = fc.record({ maxQueries: fc.nat(5), maxQueriesPerDay: fc.nat(3) });
		const withoutRetry = programs.map(([steps, fates]): [Step[], string[]] => [
			steps.filter(({ how }) => how !== 'retry'),
			fates,
		]);
		await fc.assert(
			fc.asyncProperty(withoutRetry, limits, async ([steps, fates], spendingLimits) => {
				const { billed, close } = await withoutWaiting(
					async () => await perform(steps, fates, { spendingLimits }),
				);
				await close();
				const { maxQueries, maxQueriesPerDay } = spendingLimits;
				expect(billed.A.length + billed.B.length).toBeLessThanOrEqual(maxQueries);
				expect(billed.A.length).toBeLessThanOrEqual(maxQueriesPerDay);
				expect(billed.B.length).toBeLessThanOrEqual(maxQueriesPerDay);
			}),
			{ numRuns: 40 },
		);
	}, 300_000);
});
