import type { IDataObject, INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Field } from '../../shared/operations/fields';
import { hash as hashText } from '../../shared/utils/hash';
import { textOf } from '../../shared/utils/primitiveText';
import { isCiecReferenceName } from '../client/ciec';
import type { OutputRowWarning } from '../fields/identifiers';
import { queryTypeCode, toWireNames, fromWireNames, pathOf } from '../client/names';
import { queryTypes, type QueryType } from '../../shared/queryTypes/catalog';
import { canonicalRequestFields, stableText, type ExpectedRecord } from './matchRecord';
import { pickBy } from '../../shared/utils/objects';

/** One of the billed queries (TQ §4.2 to §4.11); they differ only by query type and fields. */
export interface PaidQueryDefinition {
	queryType: QueryType;
	/** Title Case, as shown in the selector. */
	name: string;
	/** Sentence case, as shown in the node panel. */
	action: string;
	description: string;
	tool: string;
	/** Below the node on the canvas, where that should be shorter than the action. */
	subtitle?: string;
	/** Its fields, which make one input. Throws a UserError that names the field. */
	input: Field<ValidatedQueryInput>;
	/** Entries of the "Options" collection that `input` reads. */
	options?: INodeProperties[];
	credential?: INodeCredentialDescription;
	/** The service refuses it while there is no tax profile for its RFC. */
	needsProfile?: true;
	/** The price of one item, where that is not one query. */
	price?: string;
	/** The query returns no data, so there is nothing to reuse. */
	hasNoResult?: true;
	/** The API reference shows no response (TQ §4.8, §4.9): a 2xx that is not understood is passed on, with a warning. */
	hasNoShownResponse?: true;
}

export interface ValidatedQueryInput {
	/** The fields of the body under the API reference's names; an empty text is left out. */
	fields: IDataObject;
	/** Names of the fields that must appear in no error, output or comparison. */
	secret?: string[];
	/** The records that the query makes, one for each that is billed; by default one that echoes its fields. */
	records?: Array<Pick<ExpectedRecord, 'fields' | 'completeSince'>>;
	/** Splits the input into requests for these of its records; without it one request covers them. */
	only?(records: ValidatedQueryInput['records']): ValidatedQueryInput[];
	warnings: OutputRowWarning[];
}

interface RequestTarget {
	mapping: TaxQueryMapping;
	clientKey: string;
	accountKey: string;
	seal(text: string): string;
	additionalBodyFields: IDataObject;
}

export interface QueryRequest {
	definition: PaidQueryDefinition;
	path: string;
	fields: IDataObject;
	body: IDataObject;
	secrets: string[];
	/** One record for each query that is billed. */
	expected: ExpectedRecord[];
	/**
	 * Identifies this query and its secrets to an account, so that the journal finds it again. Additional fields are left
	 * out, because they may hold the time and differ in each try.
	 */
	journalKey: string;
	/** Identifies equal requests to one client, secrets included; they may share a query. */
	sharingKey: string;
}

/** Field names are the environment's, by the API Mapping. */
export function buildQueryRequest(
	definition: PaidQueryDefinition,
	{ fields, secret = [], records }: ValidatedQueryInput,
	{ mapping, clientKey, accountKey, seal, additionalBodyFields }: RequestTarget,
): QueryRequest {
	const { queryType } = definition;
	const { operation } = queryType;
	const [hidden, visible] = split(fields, (name) => secret.includes(name));
	const [secretAdditional, additional] = split(
		additionalBodyFields,
		(name) =>
			isCiecReferenceName(name) ||
			Object.keys(fromWireNames({ [name]: '' }, operation, mapping)).some(isCiecReferenceName),
	);
	const names = [...Object.keys(fields), ...queryType.fields];
	const documented = fromWireNames(additional, operation, mapping);
	const [replacing, extra] = split(documented, (name) => names.includes(name));
	const own = { ...visible, ...replacing };
	// the API reference does not say what an additional field means, so only identical values are equal
	const keyOf = (more: IDataObject) =>
		stableText([accountKey, operation, canonicalRequestFields(own), more]);
	const codes = serviceCodes(queryType, mapping);
	const secrets = [...Object.values(hidden), ...Object.values(secretAdditional)].map(textOf);
	const sealed = secrets.length === 0 ? '' : seal(JSON.stringify(secrets));
	return {
		definition,
		path: pathOf(operation, queryType.path, mapping),
		fields: visible,
		body: { ...toWireNames(fields, operation, mapping), ...additionalBodyFields },
		secrets,
		expected: (records ?? [{ fields: visible }]).map((record) => ({
			...codes,
			completeSince: record.completeSince,
			fields: { ...record.fields, ...documented },
		})),
		journalKey: keyOf({}) + sealed,
		sharingKey: shortTextHash(JSON.stringify([clientKey, keyOf(extra), sealed])),
	};
}

/**
 * No list shows a secret, and a corrected one must reach the service, so a request with a secret is never equal to
 * a listed query.
 */
export const isComparableWithList = ({ secrets }: Pick<QueryRequest, 'secrets'>): boolean =>
	secrets.every((secret) => secret === '');

const serviceCodes = (queryType: QueryType, mapping: TaxQueryMapping) => ({
	code: queryTypeCode(queryType, mapping),
	...(!isCodeKnown(queryType, mapping) && { isCodeGuessed: true }),
	otherCodes: queryTypes
		.filter((other) => other.operation !== queryType.operation && isCodeKnown(other, mapping))
		.map((other) => queryTypeCode(other, mapping)),
});

const isCodeKnown = (
	{ isCodeShown, operation }: QueryType,
	{ services }: TaxQueryMapping,
): boolean => isCodeShown === true || services[operation] !== undefined;

function split(
	values: IDataObject,
	isSelected: (name: string) => boolean,
): [IDataObject, IDataObject] {
	return [pickBy(values, isSelected), pickBy(values, (name) => !isSelected(name))];
}

export const shortTextHash = (text: string): string => hashText(text, 16);
