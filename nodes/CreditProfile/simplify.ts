import type { IDataObject } from 'n8n-workflow';
import { RequestError } from '../shared/http/requestError';
import { creditProfile } from '../shared/http/services';
import { isObject } from '../shared/utils/json';
import { associationTypeOf, type DocumentAssociationType } from './personalData';
import { pickBy } from '../shared/utils/objects';

/** The fields that a row has of these names in one text, in this order; values as the service gave them. */
const pick = (row: IDataObject, names: string): IDataObject =>
	Object.fromEntries(
		names
			.split(' ')
			.filter((name) => row[name] !== undefined)
			.map((name) => [name, row[name]]),
	);

export const withoutField = (row: IDataObject, field: string): IDataObject =>
	pickBy(row, (name) => name !== field);

const objectOf = (value: unknown): IDataObject => (isObject(value) ? value : {});

const joined = (...parts: unknown[]): string | undefined =>
	parts.filter((part) => typeof part === 'string' && part !== '').join(' ') || undefined;

/** CP §2.1, flat. */
export function simplifyLogin(row: IDataObject): IDataObject {
	return {
		...pick(row, 'type user isEnabled'),
		...pick(objectOf(row.metadata), 'expirationDate'),
		...pick(objectOf(row.configuration), 'isAutoRenewEnabled'),
		...pick(row, 'createdAt updatedAt ownerId id'),
	};
}

/** CP §2.6: who created something, in one text. */
function creatorOf({ creator }: IDataObject): IDataObject {
	const { name, lastName } = objectOf(creator);
	const creatorName = joined(name, lastName);
	return creatorName ? { creatorName } : {};
}

/** CP §2.5: the fields that a version's documents have. */
function schemaFields({ schema }: IDataObject): string[] {
	return Object.keys(objectOf(objectOf(schema).properties));
}

/** CP §2.2 with the active version and the creator, if they were requested, flat. The version stands for its ID. */
export function simplifyCollection(row: IDataObject): IDataObject {
	const { activeDataCollectionVersion: version } = row;
	return {
		...pick(row, 'name slug tags processorKey'),
		...(isObject(version) && { activeVersionFields: schemaFields(version) }),
		...creatorOf(row),
		...pick(row, 'createdAt updatedAt parentCollectionId'),
		...pick(row, isObject(version) ? 'id' : 'activeDataCollectionVersionId id'),
	};
}

/** CP §2.4, flat: of the schema its title and the names of its fields. */
export function simplifyCollectionVersion(row: IDataObject): IDataObject {
	const schema = objectOf(row.schema);
	return {
		...pick(schema, 'title'),
		fields: schemaFields(row),
		requiredFields: schema.required ?? [],
		...pick(row, 'isActive createdAt creatorId id'),
	};
}

/** CP §2.7: what is in the document first, each field in its column; associations in lists by type. */
export function simplifyDocumentToRow(
	row: IDataObject,
	requested: readonly DocumentAssociationType[],
): IDataObject {
	const { associations } = row;
	return {
		...contentOf(row),
		...(Array.isArray(associations)
			? byType(associations, requested)
			: associations && { associations }),
		...pick(row, 'tags createdAt updatedAt externalId id'),
	};
}

export const OWN_COLUMNS = [
	...['profiles', 'forms', 'files', 'associations'],
	...['tags', 'createdAt', 'updatedAt', 'externalId', 'id'],
];

/** A field keeps its own key, prefixed where that would be an own column. */
function columnOf(key: string, taken: ReadonlyMap<string, unknown>): string {
	let column = OWN_COLUMNS.includes(key) ? `document.${key}` : key;
	while (taken.has(column)) column += ` (${key})`;
	return column;
}

/** The fields of a document, each in a column of its own; a document that has none as it came. */
function contentOf({ document }: IDataObject): IDataObject {
	if (!isObject(document)) return document ? { document } : {};
	const content = new Map<string, unknown>();
	for (const [key, value] of Object.entries(document)) {
		content.set(columnOf(key, content), value);
	}
	return Object.fromEntries(content) as IDataObject;
}

/**
 * Groups the included associations into a list for each requested type. Others stay as they came, except null ones
 * beside those that were requested.
 */
function byType(
	associations: unknown[],
	requested: readonly DocumentAssociationType[],
): IDataObject {
	const entries = associations.filter(isObject);
	const ofType = (type?: DocumentAssociationType) =>
		entries.filter((entry) => associationTypeOf(entry) === type);
	const isFilled = ({ association }: IDataObject) => isObject(association);
	const lists = requested.map((type) => [
		type.toLowerCase(),
		ofType(type).filter(isFilled).map(simplifyAssociation),
	]);
	const notRequested = associationTypes
		.filter((type) => !requested.includes(type))
		.flatMap(ofType)
		.filter((entry) => requested.length === 0 || isFilled(entry));
	const others = [...notRequested, ...ofType(undefined)];
	return {
		...(Object.fromEntries(lists) as IDataObject),
		...(others.length > 0 && { associations: others }),
	};
}

/** These remain beside name, type and IDs (CP §2.8 to §2.10): at most ten columns in all. */
const associationFields: Record<DocumentAssociationType, string> = {
	Profiles: 'accountType rfc curp email phone externalId id',
	Forms: 'rfc curp monthlyIncome loanAmount completedDate profileId id',
	Files: 'filelabel filetype originalFilename size url uploadedAt externalId id',
};

export const associationTypes = Object.keys(associationFields) as DocumentAssociationType[];

/** The association of an entry `{type, association}`, flat; a person's or company's name in one text. */
function simplifyAssociation(entry: IDataObject): IDataObject {
	const association = objectOf(entry.association);
	const type = associationTypeOf(entry);
	const { firstName, middleName, firstLastName, secondLastName } = association;
	const person = joined(firstName, middleName, firstLastName, secondLastName);
	const company = joined(association.tradeName);
	const name = association.accountType === 'PM' ? (company ?? person) : (person ?? company);
	return {
		...(name && { name }),
		...(type ? pick(association, associationFields[type]) : association),
	};
}

/** The entries `{type, association}` of a document, of which `association` may be null (CP §2.8 to §2.10). */
export function associationsOf({ associations }: IDataObject): IDataObject[] {
	if (Array.isArray(associations)) return associations.filter(isObject);
	if (associations === undefined || associations === null) return [];
	throw new RequestError(creditProfile, { kind: 'shape', expected: 'a list of associations' });
}

/** The document's ID comes last. */
export const simpleAssociationRows = (document: IDataObject): IDataObject[] =>
	associationsOf(document).map((entry) => ({
		associationType: entry.type,
		...simplifyAssociation(entry),
		documentId: document.id,
	}));

/** Associations stay as they came; each repeats the fields of its document. */
export const associationRows = (document: IDataObject): IDataObject[] =>
	associationsOf(document).map((entry) => ({
		...entry,
		...withoutField(document, 'associations'),
		documentExternalId: document.externalId,
		documentId: document.id,
	}));
