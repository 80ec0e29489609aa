import type { IDataObject } from 'n8n-workflow';
import { Ledger, mergeLedgers } from '../../../../nodes/TaxQuery/trigger/ledger';
import { applyPlan, planPoll } from '../../../../nodes/TaxQuery/trigger/planPoll';

describe('a pending query that is listed in a final status', () => {
	it.each([
		['is pending no more, if that status came through before', true, false],
		['stays pending until its result has started, if it is new', false, true],
	])('%s', (_, cameThrough, expected) => {
		const ledger = new Ledger();
		const success = { queryId: 'query', status: 'SUCCESS' };
		ledger.take(success.queryId);
		if (cameThrough) ledger.settle(success);
		ledger.addPending([success.queryId]);
		const row = { ...success, isPending: false, isOpen: false, hasStatus: true };
		const rules = {
			dispositionOf: () => 'emit' as const,
			isRunning: () => false,
			triesOf: () => 0,
			maxResults: 10,
		};
		const context = {
			...{ account: '', mustBegin: false, oldUntil: 0, now: 0 },
			...{ notifiedIds: [], maxPendingReads: 10 },
		};
		const plan = planPoll(ledger, { rows: [row], isWhole: true }, context, rules);
		applyPlan(ledger, plan, rules, '');
		expect(ledger.isPending(success.queryId)).toBe(expected);
	});
});

describe('a ledger whose static data are damaged', () => {
	const saved = (): IDataObject => {
		const ledger = new Ledger();
		ledger.take('seen');
		ledger.addPending(['waiting']);
		ledger.start('delivery', 'query');
		return JSON.parse(JSON.stringify(ledger.saved)) as IDataObject;
	};

	it.each<[name: string, value: IDataObject[string]]>([
		['pending', {}],
		['pending', [7, null]],
		['starting', null],
		['starting', { delivery: 7 }],
		['newest', 'yesterday'],
		['isComplete', null],
	])('is read without %s: %j', (name, value) => {
		const ledger = new Ledger({ ...saved(), [name]: value });
		expect(ledger.isSeen('seen')).toBe(true);
		expect(ledger.pendingIds()).toEqual(name === 'pending' ? [] : ['waiting']);
		expect(ledger.starting()).toHaveLength(name === 'starting' ? 0 : 1);
		expect(ledger.state).toMatchObject({ newest: 0, isComplete: true });
	});

	it('begins anew without what was seen: else all rows would look new', () => {
		const ledger = new Ledger({ ...saved(), startedFrom: 'now', seen: 'text' });
		expect([ledger.state.startedFrom, ledger.pendingIds()]).toEqual(['', []]);
	});
});

describe('two ledgers at publishing', () => {
	const ledgerWith = (newest: number, status: string) => {
		const ledger = new Ledger();
		ledger.take('q', newest);
		if (status) ledger.settle({ queryId: 'q', status });
		return ledger;
	};
	const success = { queryId: 'q', status: 'SUCCESS' };

	it('the one that has seen the newer query counts, with all that is settled in the other', () => {
		const [known, saved] = [ledgerWith(1, 'SUCCESS'), ledgerWith(2, '')];
		expect(mergeLedgers(known, saved)).toBe(saved);
		expect(saved.isSettled(success)).toBe(true);
	});

	it("this process's counts if the saved one is older", () => {
		const [known, saved] = [ledgerWith(2, ''), ledgerWith(1, 'SUCCESS')];
		saved.start('delivery', 'q');
		expect(mergeLedgers(known, saved)).toBe(known);
		expect([known.isSettled(success), known.isStarting('delivery')]).toEqual([true, true]);
	});

	it('adopts nothing of another account', () => {
		const [known, saved] = [ledgerWith(2, ''), ledgerWith(1, 'SUCCESS')];
		saved.state.account = 'another';
		expect(mergeLedgers(known, saved).isSettled(success)).toBe(false);
	});
});
