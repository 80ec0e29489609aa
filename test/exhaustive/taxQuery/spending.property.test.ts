import fc from 'fast-check';
import type { NodeRun, NodeRunOptions } from '../../support/runNodeInEngine';
import {
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from '../../nodes/taxQuery/support';

const people = rfcs(5);
const WRONG = 'GODE561331GR8';
const LIMITS = ['limitOfExecution', 'limitOfDay', 'budgetOfDay'];

const count = ({ items }: NodeRun, is: (json: NodeRun['items'][number]['json']) => boolean) =>
	items.filter(({ json }) => is(json)).length;
const amountIn = ({ hints }: NodeRun) =>
	Number(/MXN ([\d.]+\d)/.exec(hints.map(({ message }) => message).join(' '))?.[1] ?? 0);

describe('preview, run, spending and the ledger', () => {
	it('agree for all rows, choices of reuse, limits and prices', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.record({
					wanted: fc.array(fc.constantFrom(...people, WRONG), { minLength: 1, maxLength: 8 }),
					before: fc.array(fc.constantFrom(...people), { maxLength: 3 }),
					reuse: fc.constantFrom('building', 'hours', 'month', 'never'),
					mode: fc.constantFrom<NonNullable<NodeRunOptions['mode']>>('manual', 'trigger'),
					limit: fc.constantFrom('maxQueries', 'maxQueriesPerDay', 'maxAmountPerDay', 'none'),
					most: fc.nat(6),
					price: fc.constantFrom('0', '0.0001', '3.50', '1234.56', ''),
				}),
				async ({ wanted, before, reuse, mode, limit, most, price }) => {
					const sandbox = await taxQuerySandbox();
					for (const rfc of before)
						await sandbox.run(getCrfParameters({ reuse: 'never' }), { items: [{ rfc }] });
					const prices = price === '' ? undefined : { getCrf: price };
					const isAmount = limit === 'maxAmountPerDay';
					const spendingLimits =
						limit === 'none' ? {} : { [limit]: isAmount ? most * Number(price || 1) : most };
					const run = async (options: object) =>
						await sandbox.run(getCrfParameters({ reuse }, { spendingLimits, ...options }), {
							...{ items: itemsForRfcs(wanted), mode, prices, onError: 'continueRegularOutput' },
						});
					const earlier = (await sandbox.ledger()).length;
					const preview = await run({ previewOnly: true });
					expect((await sandbox.ledger()).length).toBe(earlier);
					const real = await run({});
					const billed = (await sandbox.ledger()).length - earlier;
					const spent = await sandbox.run(
						operationParameters('query', 'getSpending', { spendingPeriod: 'today' }),
						{ prices },
					);
					await sandbox.close();

					const previewed = (outcome: string) => count(preview, (json) => json.outcome === outcome);
					const isOverLimit = ({ errorCode }: { errorCode?: unknown }) =>
						LIMITS.includes(String(errorCode));
					expect({
						sent: previewed('wouldSend'),
						reused: previewed('wouldReuse'),
						notReady: previewed('notSent'),
						overLimit: previewed('overLimit'),
						amount: amountIn(preview),
					}).toEqual({
						sent: billed,
						reused: count(real, (json) => json.reused === true),
						notReady: count(real, (json) => json.outcome === 'notSent' && !isOverLimit(json)),
						overLimit: count(real, isOverLimit),
						amount: amountIn(real),
					});
					expect(real.items.reduce((sum, { json }) => sum + Number(json.billed), 0)).toBe(billed);
					expect(spent.items.at(-1)?.json).toMatchObject({
						queries: earlier + billed,
						amount:
							price === '' ? null : Math.round(1e4 * (earlier + billed) * Number(price)) / 1e4,
					});
				},
			),
			{ numRuns: 100 },
		);
	}, 300_000);
});
