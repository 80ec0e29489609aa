import fc from 'fast-check';
import { billedCountText } from '../../../nodes/TaxQuery/errors/queryError';
import { runReceiptText } from '../../../nodes/TaxQuery/output/receiptText';
import { withoutWaiting } from '../../support/clock';
import { readReceipt, sumOf } from '../../support/receipt';
import { respondJson } from '../../support/testServer';
import { getCrfParameters, itemsForRfcs, rfcs } from '../../nodes/taxQuery/support';
import { fakeService } from '../../nodes/taxQuery/fakeService';

/** Checks that the numbers of a receipt add up, and returns them. */
function addUp(text: string, items: number) {
	const read = readReceipt(text);
	const { parts, queries, withQuery, failed, failedBy } = read;
	if (Object.keys(parts).length > 0 && queries !== undefined) {
		expect([text, sumOf(parts)]).toEqual([text, queries]);
	}
	if (read.billed !== undefined && parts.billed !== undefined) {
		expect([text, parts.billed]).toEqual([text, read.billed]);
	}
	if (read.items !== undefined) expect([text, read.items]).toEqual([text, items]);
	if (withQuery !== undefined) {
		expect([text, withQuery + read.withoutQuery]).toEqual([text, items]);
	}
	expect([text, sumOf(failedBy)]).toEqual([text, failed]);
	return read;
}

describe('the numbers of a receipt add up', () => {
	const few = fc.nat(4);

	it('for every combination of counts', () => {
		fc.assert(
			fc.property(
				fc.record({ billed: few, reused: few, unknown: few, recovered: few, readAgain: few }),
				fc.record({ fine: few, unsent: few, refused: few, sent: few, served: few, left: few }),
				(counts, ends) => {
					const { billed, reused, unknown } = counts;
					const recovered = Math.min(counts.recovered, billed);
					const readAgain = Math.min(counts.readAgain, billed - recovered);
					const total = billed + reused + unknown;
					const isAny = total > 0;
					const [fine, sent, served] = isAny ? [ends.fine + 1, ends.sent, ends.served] : [0, 0, 0];
					const withQuery = fine + sent + served;
					const all = withQuery + ends.unsent + ends.refused + ends.left;
					const text = runReceiptText({
						mode: 'trigger',
						items: {
							...{ all, withQuery, unsent: ends.unsent, refused: ends.refused },
							...{ failedAfterSending: sent, failedWithReused: served },
						},
						costText: billedCountText({ billed: unknown > 0 ? 'unknown' : billed }),
						queries: { billed, recovered, readAgain, reused, unknown },
						...{ uncertain: unknown, pending: 0, reusesByDefault: false, isBuilding: false },
						...{ hasWaited: false, itemsWithWarning: 0, warnings: [] },
						gaps: { uncompared: 0, pendingTooLong: [] },
					});
					if (text === '') {
						expect([total, ends.unsent, ends.refused, ends.left]).toEqual([0, 0, 0, 0]);
						return;
					}
					const read = addUp(text, all);
					expect(read.failed).toBe(sent + served + ends.unsent + ends.refused);
					// what is not said is that each item has one query of its own, and all are billed
					const said = read.queries ?? (sumOf(read.parts) || read.billed);
					if (isAny) expect([text, said]).toEqual([text, total]);
				},
			),
			{ numRuns: 2_000 },
		);
	});

	const people = rfcs(4);
	const WRONG = 'GODE561331GR8';
	const outcomes = fc.constantFrom('accept', 'accept', 'lose', 'drop', 'refuse', 'noId');

	it('and agree with what the service has billed', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.constantFrom(...people, WRONG), { minLength: 1, maxLength: 8 }),
				fc.array(outcomes, { maxLength: 8 }),
				fc.array(fc.constantFrom(...people), { maxLength: 2 }),
				fc.constantFrom('building', 'never'),
				async (wanted, fates, before, reuse) => {
					let arrived = 0;
					let isBefore = true;
					const service = await fakeService({
						post(accept, response) {
							switch (isBefore ? 'accept' : (fates[arrived++] ?? 'accept')) {
								case 'accept':
									return respondJson(response, { message: 'ok', queryId: accept()._id });
								case 'lose':
									accept();
									return void response.destroy();
								case 'refuse':
									return respondJson(response, { message: 'No' }, 422);
								case 'noId':
									return respondJson(response, { done: true });
								case 'drop':
									return void response.destroy();
							}
						},
					});
					const run = async (list: string[]) =>
						await withoutWaiting(
							async () =>
								await service.run(getCrfParameters({ reuse }), {
									items: itemsForRfcs(list),
									onError: 'continueRegularOutput',
									mode: 'manual',
								}),
						);
					if (before.length > 0) await run(before);
					const earlier = service.billed.length;
					isBefore = false;
					const { hints } = await run(wanted);
					const billed = service.billed.length - earlier;
					await service.close();
					const [text = ''] = hints.map(({ message }) => message);
					const { billed: said = 0, parts, failed } = addUp(text, wanted.length);
					const known = said || (parts.billed ?? 0);
					expect([text, known <= billed, billed <= known + (parts.unknown ?? 0)]).toEqual([
						...[text, true, true],
					]);
					expect(failed).toBeLessThanOrEqual(wanted.length);
				},
			),
			{ numRuns: 60 },
		);
	}, 300_000);
});
