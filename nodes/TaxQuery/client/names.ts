import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { queryTypes, type QueryType } from '../../shared/queryTypes/catalog';
import { mapKeys, mapValues, pickBy } from '../../shared/utils/objects';
import { invertNames } from '../../shared/utils/invertNames';
import { textOf } from '../../shared/utils/primitiveText';

export const queryTypeCode = (
	{ operation, code }: QueryType,
	{ services }: TaxQueryMapping,
): string => services[operation] ?? code;

/** Capitals do not count. */
export function findQueryTypeByRecordCode(
	code: unknown,
	mapping: TaxQueryMapping,
): QueryType | undefined {
	const name = textOf(code).toUpperCase();
	return queryTypes.find((queryType) => queryTypeCode(queryType, mapping).toUpperCase() === name);
}

/** Begins with a slash, and ends with one where the mapping does. */
export function pathOf(operation: string, path: string, { paths }: TaxQueryMapping): string {
	const own = paths[operation];
	if (own !== undefined) return `/${own.replace(/^\/+/, '')}`;
	const { tax = 'tax' } = paths;
	const parts = path.split('/').flatMap((part) => (part === 'tax' ? tax.split('/') : part));
	return `/${parts.filter(Boolean).join('/')}`;
}

export const pathKeysOfQueryType = ({ operation, path }: QueryType): string[] =>
	isTax(path) ? ['paths.tax', `paths.${operation}`] : [`paths.${operation}`];

const keysOfFields = ({ operation, fields }: QueryType): string[] => [
	`fields.${operation}`,
	...(fields.includes('from') ? ['periodFormat'] : []),
];

/** The status shows whether the path may be wrong, or the body. */
export function suspectKeys(status: number, queryType: QueryType): string[] {
	if (status === 404) return pathKeysOfQueryType(queryType);
	return [400, 422].includes(status) ? keysOfFields(queryType) : [];
}

const isTax = (path: string): boolean => path.includes('/tax/');

/** Fields that the environment does not have are left out. */
export function toWireNames(
	values: IDataObject,
	operation: string,
	{ fields }: TaxQueryMapping,
): IDataObject {
	const names = fields[operation] ?? {};
	const wireName = (name: string) => names[name] ?? name;
	const sent = pickBy(values, (name, value) => wireName(name) !== '' && value !== '');
	return mapKeys(sent, wireName);
}

/** Periods come out in ISO 8601. */
export function fromWireNames(
	values: IDataObject,
	operation: string,
	{ fields, periodFormat }: TaxQueryMapping,
): IDataObject {
	const names = invertNames(fields[operation] ?? {});
	const named = mapKeys(values, (own) => names.get(own) ?? own);
	return mapValues(named, (value, name) =>
		PERIOD.includes(name) ? isoPeriod(value, periodFormat) : value,
	);
}

const PERIOD = ['from', 'to', 'period'];

/** A month or day, in any notation of the environment, as ISO 8601; as it came where it is neither. */
function isoPeriod(value: unknown, { months, days }: TaxQueryMapping['periodFormat']) {
	const [day, month] = [days, months].map((format) => DateTime.fromFormat(textOf(value), format));
	if (day.isValid) return day.toISODate();
	return month.isValid ? month.toFormat('yyyy-MM') : (value as IDataObject[string]);
}
