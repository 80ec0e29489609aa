import type { IDataObject } from 'n8n-workflow';
import { Ledger } from '../../../../nodes/TaxQuery/trigger/ledger';
import { applyPlan, planPoll } from '../../../../nodes/TaxQuery/trigger/planPoll';

const reload = (ledger: Ledger) => new Ledger(JSON.parse(JSON.stringify(ledger.saved)));

describe('the ledger', () => {
	it('keeps how often n8n failed to start a result, until its execution ends', () => {
		const ledger = new Ledger();
		for (let attempt = 1; attempt <= 2; attempt++) {
			ledger.start('delivery', 'query', 1);
			ledger.undoStart('delivery');
		}
		const reloaded = reload(ledger);
		const failures = reloaded.failedStarts('delivery');
		reloaded.start('delivery', 'query', 1);
		reloaded.end('delivery');
		expect([failures, reload(reloaded).failedStarts('delivery')]).toEqual([2, 0]);
	});

	it('remembers what came through of a pending query behind many newer ones', () => {
		const ledger = new Ledger();
		const success = { queryId: 'pending again', status: 'SUCCESS' };
		ledger.take(success.queryId);
		ledger.settle(success);
		ledger.addPending([success.queryId]);
		const newer = Array.from({ length: 1_200 }, (_, index) => `newer ${index}`);
		for (const id of newer) ledger.take(id);
		ledger.trim(newer);
		expect(ledger.isSeen(success.queryId)).toBe(false);
		expect(reload(ledger).isSettled(success)).toBe(true);
	});
});

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
		ledger.start('delivery', 'query', 1);
		return JSON.parse(JSON.stringify(ledger.saved)) as IDataObject;
	};

	it.each<[name: string, value: IDataObject[string]]>([
		['pendingIds', {}],
		['pendingIds', [7, null]],
		['started', null],
		['started', { delivery: 'query' }],
		['failedStarts', null],
		['failedStarts', { delivery: 'often' }],
		['newest', 'yesterday'],
		['isComplete', null],
	])('is read without %s: %j', (name, value) => {
		const ledger = new Ledger({ ...saved(), [name]: value });
		expect(ledger.isSeen('seen')).toBe(true);
		expect(ledger.pendingIds()).toEqual(name === 'pendingIds' ? [] : ['waiting']);
		expect(ledger.startedCount()).toBe(name === 'started' ? 0 : 1);
		expect(ledger.failedStarts('delivery')).toBe(0);
		expect(ledger.state).toMatchObject({ newest: 0, isComplete: true });
	});
});
