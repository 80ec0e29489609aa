import type { ICredentialDataDecryptedObject, INodeProperties } from 'n8n-workflow';
import { queryTypes } from '../queryTypes/catalog';
import { capitalize, textOf } from '../utils/primitiveText';
import { credentialError } from './fieldError';
import { textInput } from './inputBuilders';

/** Amounts are counted in ten-thousandths, because sums of decimal fractions are not exact. */
export const UNITS = 10_000;

/** The prices of queries by the operator's contract. */
export interface Prices {
	currency: string;
	/** In ten-thousandths of the currency, by the operation of a query type; one without a price is missing. */
	byOperation: Record<string, number>;
}

const SWITCH = 'hasPrices';
const CURRENCY = 'currency';
const shownWithPrices = { displayOptions: { show: { [SWITCH]: [true] } } };
const fieldName = (operation: string) => `price${capitalize(operation)}`;

export const pricesSwitch: INodeProperties = {
	displayName: 'Prices',
	name: SWITCH,
	type: 'boolean',
	default: false,
	description:
		"Whether to enter what your contract says a query costs. Receipts, 'Preview Only' and 'Get Spending' then show amounts.",
};

/** n8n shows them while the switch is on. */
export const priceFields: INodeProperties[] = [
	textInput('Currency', CURRENCY, {
		default: 'MXN',
		description: 'Of all prices below',
		...shownWithPrices,
	}),
	...queryTypes.map(({ operation, label }) =>
		textInput(`Price: ${label}`, fieldName(operation), {
			placeholder: 'e.g. 3.50',
			description: 'Of one query. Empty: not known; such queries are counted without an amount.',
			...shownWithPrices,
		}),
	),
];

const PRICE = /^\d{1,9}(\.\d{1,4})?$/;

/** Is undefined where the operator has entered none. Throws a UserError if a price is no amount. */
export function readPrices(credential: ICredentialDataDecryptedObject): Prices | undefined {
	if (credential[SWITCH] !== true) return undefined;
	const entered = queryTypes
		.map(({ operation, label }) => ({
			operation,
			label,
			text: textOf(credential[fieldName(operation)]).trim(),
		}))
		.filter(({ text }) => text !== '');
	const wrong = entered.find(({ text }) => !PRICE.test(text));
	if (wrong) {
		throw credentialError(
			`'Price: ${wrong.label}' in the credential is no amount: write 3.50, with a point and without a currency`,
			'Leave it empty if you do not know it.',
		);
	}
	return {
		currency: textOf(credential[CURRENCY]).trim() || 'MXN',
		byOperation: Object.fromEntries(
			entered.map(({ operation, text }) => [operation, Math.round(Number(text) * UNITS)]),
		),
	};
}

/** Returns what is wrong with the prices. */
export function findPriceProblem(credential: ICredentialDataDecryptedObject): string | undefined {
	try {
		readPrices(credential);
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}
