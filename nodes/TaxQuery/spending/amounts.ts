import { UNITS, type Prices } from '../../shared/credentials/prices';
import { queryTypes } from '../../shared/queryTypes/catalog';

/** Numbers of queries, by the operation of their type; '' where the type is not known. */
export type Tally = ReadonlyMap<string, number>;

/** What queries cost, in ten-thousandths of the currency, and how many of them have no price. */
export interface Amount {
	units: number;
	unpriced: number;
}

export const countOf = (tally: Tally): number => sumOf([...tally.values()]);

const sumOf = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0);

export function addTallies(...tallies: Tally[]): Tally {
	const sum = new Map<string, number>();
	for (const [operation, count] of tallies.flatMap((tally) => [...tally])) {
		sum.set(operation, (sum.get(operation) ?? 0) + count);
	}
	return sum;
}

/** A query of unknown price adds nothing. */
export function amountOf(tally: Tally, { byOperation }: Prices): Amount {
	const counts = [...tally];
	const isPriced = ([operation]: [string, number]) => Object.hasOwn(byOperation, operation);
	return {
		units: sumOf(counts.filter(isPriced).map(([name, count]) => count * byOperation[name])),
		unpriced: sumOf(counts.filter((one) => !isPriced(one)).map(([, count]) => count)),
	};
}

/** Returns the labels of the query types that are counted and have no price. */
export const unpricedTypes = (tally: Tally, { byOperation }: Prices): string[] =>
	[...tally]
		.filter(([operation, count]) => count > 0 && !Object.hasOwn(byOperation, operation))
		.map(
			([operation]) =>
				queryTypes.find((one) => one.operation === operation)?.label ??
				'a query type that the API Mapping does not name',
		);

/** "MXN 24.00"; with four decimals where two are not exact. */
export function moneyText(currency: string, units: number): string {
	const isExact = units % (UNITS / 100) === 0;
	return `${currency} ${(units / UNITS).toFixed(isExact ? 2 : 4)}`;
}

/** "MXN 24.00 and 2 without a price" */
export function amountText(currency: string, { units, unpriced }: Amount): string {
	if (unpriced === 0) return moneyText(currency, units);
	if (units === 0) return `${unpriced} without a price`;
	return `${moneyText(currency, units)} and ${unpriced} without a price`;
}

/** Adds up what queries cost by several credentials, each with its prices or none. */
export class AmountByCurrency {
	readonly #amounts = new Map<string, Amount>();
	#unknown = 0;

	add(operation: string, count: number, prices: Prices | undefined): void {
		if (!prices) {
			this.#unknown += count;
			return;
		}
		const more = amountOf(new Map([[operation, count]]), prices);
		const { units, unpriced } = this.#amounts.get(prices.currency) ?? { units: 0, unpriced: 0 };
		this.#amounts.set(prices.currency, {
			units: units + more.units,
			unpriced: unpriced + more.unpriced,
		});
	}

	/** "MXN 24.00 and 2 without a price"; '' where no credential has prices. */
	get text(): string {
		if (this.#amounts.size === 0) return '';
		const texts = [...this.#amounts].map(([currency, amount]) => amountText(currency, amount));
		return [...texts, ...(this.#unknown > 0 ? [`${this.#unknown} without a price`] : [])].join(
			', ',
		);
	}
}
