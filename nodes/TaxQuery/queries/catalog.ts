import type { IDataObject } from 'n8n-workflow';
import { readTaxQueryMapping, type TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { queryServices, type QueryService } from '../../shared/queries/catalog';
import { textOf } from '../../shared/utils/text';

// The rows stand in nodes/shared, for the credential's API Mapping may name each of them.
export { catalog, queryServices, type QueryService } from '../../shared/queries/catalog';

/** A deployment that speaks as the document does. */
export const asDocumented = readTaxQueryMapping({});

/** What records of this service call it in a deployment. */
export const codeOf = ({ operation, code }: QueryService, { services }: TaxQueryMapping): string =>
	services[operation] ?? code;

/** The row of a record's service in a deployment, in capitals or not; undefined if none is called so. */
export function serviceOf(code: unknown, mapping: TaxQueryMapping): QueryService | undefined {
	const name = textOf(code).toUpperCase();
	return queryServices.find((service) => codeOf(service, mapping).toUpperCase() === name);
}

/** Where a query is sent in a deployment; with leading slash, and with a trailing one where the mapping has it. */
export function pathOf(operation: string, path: string, { paths }: TaxQueryMapping): string {
	const own = paths[operation];
	if (own !== undefined) return `/${own.replace(/^\/+/, '')}`;
	const { tax = 'tax' } = paths;
	const parts = path.split('/').flatMap((part) => (part === 'tax' ? tax.split('/') : part));
	return `/${parts.filter(Boolean).join('/')}`;
}

/** Which keys of the API Mapping say where a query is sent, for an error. */
export const keysOfPath = ({ operation, path }: QueryService): string =>
	path.includes('/tax/') ? `paths.tax or paths.${operation}` : `paths.${operation}`;

/** Which keys of the API Mapping say what a query's body holds, for an error. */
export function keysOfFields({ operation, fields }: QueryService): string {
	const keys = fields.map((field) => `fields.${operation}.${field}`).join(', ');
	return fields.includes('from') ? `${keys}, or periodFormat` : keys;
}

/** Fields of a query under the document's names, where the deployment has others. */
export function inDocumentNames(
	values: IDataObject,
	operation: string,
	{ fields }: TaxQueryMapping,
): IDataObject {
	const names = Object.entries(fields[operation] ?? {});
	return Object.fromEntries(
		Object.entries(values).map(([own, value]) => {
			const [name] = names.find(([, mapped]) => mapped === own) ?? [own];
			return [name, value];
		}),
	);
}
