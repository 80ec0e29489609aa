import {
	addTallies,
	AmountByCurrency,
	amountOf,
	countOf,
	moneyText,
} from '../../../../nodes/TaxQuery/spending/amounts';
import { readPrices } from '../../../../nodes/shared/credentials/prices';
import { priceFieldsOf } from '../../../support/credentialFields';

const prices = readPrices(priceFieldsOf({ getCrf: '0.1', getCurpData: '0' }));
if (!prices) throw new Error('There are prices');

describe('amounts', () => {
	it('are exact, and leave out what has no price', () => {
		const tally = addTallies(
			new Map([['getCrf', 2]]),
			new Map([['getCrf', 1]]),
			new Map([['', 4]]),
		);
		expect([countOf(tally), amountOf(tally, prices)]).toEqual([7, { units: 3000, unpriced: 4 }]);
	});

	it.each([
		[240_000, 'MXN 24.00'],
		[1, 'MXN 0.0001'],
		[0, 'MXN 0.00'],
	])('of %d units are written as %s', (units, text) => expect(moneyText('MXN', units)).toBe(text));

	it('of several credentials are written by currency', () => {
		const amount = new AmountByCurrency();
		amount.add('getCrf', 3, prices);
		amount.add('getRfcData', 1, prices);
		amount.add('getCrf', 1, { ...prices, currency: 'USD' });
		amount.add('getCrf', 2, undefined);
		expect(amount.text).toBe('MXN 0.30 and 1 without a price, USD 0.10, 2 without a price');
	});

	it('are not written where no credential has prices', () => {
		const amount = new AmountByCurrency();
		amount.add('getCrf', 2, undefined);
		expect(amount.text).toBe('');
	});
});

describe('the prices of a credential', () => {
	it.each(['3,50', '-1', '1e3', '3.50 MXN', '0.00001'])('are no amount: %j', (text) => {
		expect(() => readPrices(priceFieldsOf({ getCrf: text }))).toThrow(
			"'Price: Fiscal Regime Certificate (CRF)' in the credential is no amount: write 3.50, with a point and without a currency",
		);
	});

	it('are not known where a field is empty', () => {
		expect(readPrices(priceFieldsOf({ getCrf: '' }))?.byOperation).toEqual({});
	});

	it('are none while the switch is off', () => {
		expect(readPrices({ ...priceFieldsOf({ getCrf: '1' }), hasPrices: false })).toBeUndefined();
	});
});
