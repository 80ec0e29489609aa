import { readTaxQueryMapping, type TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { queryServices, type QueryService } from '../../shared/queries/catalog';

// The rows stand in nodes/shared, for the credential's API Mapping may name each of them.
export { catalog, queryServices, type QueryService } from '../../shared/queries/catalog';

/** A deployment that speaks as the document does. */
export const asDocumented = readTaxQueryMapping({});

/** What records of this service call it in a deployment. */
export const codeOf = ({ operation, code }: QueryService, { services }: TaxQueryMapping): string =>
	services[operation] ?? code;

/** The row of a record's service in a deployment; undefined if none is called so. */
export function serviceOf(code: unknown, mapping: TaxQueryMapping): QueryService | undefined {
	return queryServices.find((service) => codeOf(service, mapping) === code);
}

/** Where a query is sent in a deployment; with leading slash. */
export function pathOf(operation: string, path: string, { paths }: TaxQueryMapping): string {
	const own = paths[operation];
	if (own !== undefined) return withSlash(own);
	const { tax } = paths;
	if (tax === undefined) return path;
	const replaced = path.split('/').map((part) => (part === 'tax' ? trimSlashes(tax) : part));
	return replaced.join('/');
}

const trimSlashes = (path: string) => path.replace(/^\/+|\/+$/g, '');
const withSlash = (path: string) => `/${trimSlashes(path)}`;
