import { Ledger } from '../../../../nodes/TaxQuery/trigger/ledger';

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
});
