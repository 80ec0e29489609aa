import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../shared/utils/json';
import { typeOf, type AssociationType } from './personal';
import { freeColumn, type ColumnOf } from './titles';
import { CodedError } from '../shared/utils/codedError';

/** The named fields that a row has, in this order; values as the service gave them. */
function pick(row: IDataObject, names: string[]): IDataObject {
	return Object.fromEntries(
		names.filter((name) => row[name] !== undefined).map((name) => [name, row[name]]),
	);
}

/** A row without one of its fields. */
export const without = (row: IDataObject, field: string): IDataObject =>
	Object.fromEntries(Object.entries(row).filter(([name]) => name !== field));

const objectOf = (value: unknown): IDataObject => (isObject(value) ? value : {});

const joined = (...parts: unknown[]): string | undefined =>
	parts.filter((part) => typeof part === 'string' && part !== '').join(' ') || undefined;

/** CP §2.1, flat. */
export function simplifyLogin(row: IDataObject): IDataObject {
	return {
		...pick(row, ['type', 'user', 'isEnabled']),
		...pick(objectOf(row.metadata), ['expirationDate']),
		...pick(objectOf(row.configuration), ['isAutoRenewEnabled']),
		...pick(row, ['createdAt', 'updatedAt', 'ownerId', 'id']),
	};
}

/** CP §2.6: who created something, in one text. */
function creatorOf({ creator }: IDataObject): IDataObject {
	const { name, lastName } = objectOf(creator);
	return pick({ creatorName: joined(name, lastName) }, ['creatorName']);
}

/** CP §2.5: the fields that a version's documents have. */
function fieldsOf({ schema }: IDataObject): string[] {
	return Object.keys(objectOf(objectOf(schema).properties));
}

/** CP §2.2 with the active version and the creator, if they were requested, flat. */
export function simplifyCollection(row: IDataObject): IDataObject {
	const { activeDataCollectionVersion: version } = row;
	return {
		...pick(row, ['name', 'slug', 'tags', 'processorKey']),
		...(isObject(version) && { activeVersionFields: fieldsOf(version) }),
		...creatorOf(row),
		...pick(row, ['createdAt', 'parentCollectionId', 'activeDataCollectionVersionId', 'id']),
	};
}

/** CP §2.4, flat: of the schema its title and the names of its fields. */
export function simplifyVersion(row: IDataObject): IDataObject {
	const schema = objectOf(row.schema);
	return {
		...pick(schema, ['title']),
		fields: fieldsOf(row),
		requiredFields: schema.required ?? [],
		...pick(row, ['isActive', 'createdAt', 'creatorId', 'id']),
	};
}

/** CP §2.7: what is in the document first, each field in its column; associations in lists by type. */
export function simplifyDocument(row: IDataObject, columnOf: ColumnOf): IDataObject {
	const { associations } = row;
	return {
		...contentOf(row, columnOf),
		...(Array.isArray(associations) ? byType(associations) : filled({ associations })),
		...pick(row, ['tags', 'createdAt', 'externalId', 'id']),
	};
}

const filled = (row: IDataObject): IDataObject =>
	Object.fromEntries(
		Object.entries(row).filter(([, value]) => value !== undefined && value !== null),
	);

/** The fields of a document, each in a column of its own; a document that has none as it came. */
function contentOf(
	{ document, dataCollectionVersionId }: IDataObject,
	columnOf: ColumnOf,
): IDataObject {
	if (!isObject(document)) return filled({ document });
	const content = new Map<string, unknown>();
	for (const [key, value] of Object.entries(document)) {
		content.set(freeColumn(columnOf(dataCollectionVersionId, key), key, content), value);
	}
	return Object.fromEntries(content) as IDataObject;
}

/**
 * Associations in lists by type, of those that came with what they hold: where all of a type are null they were not
 * asked for, and the type is left out. Those of a type that the document does not name are kept as they came.
 */
function byType(associations: unknown[]): IDataObject {
	const entries = associations.filter(isObject);
	const lists = (Object.keys(associationFields) as AssociationType[]).flatMap((type) => {
		const ofType = entries.filter((entry) => typeOf(entry) === type);
		const held = ofType.filter(({ association }) => isObject(association));
		const isNotAsked = ofType.length > 0 && held.length === 0;
		return isNotAsked ? [] : [[type.toLowerCase(), held.map(simplifyAssociation)]];
	});
	const others = associations.filter(
		(one) => one !== null && !(isObject(one) && typeOf(one) !== undefined),
	);
	return {
		...(Object.fromEntries(lists) as IDataObject),
		...(others.length > 0 && { associations: others as IDataObject[] }),
	};
}

/** CP §2.8 to §2.10: what of an association is kept, beside name, type and IDs; at most ten fields in all. */
const associationFields: Record<AssociationType, string[]> = {
	Profiles: ['accountType', 'rfc', 'curp', 'email', 'phone', 'externalId'],
	Forms: ['rfc', 'curp', 'monthlyIncome', 'loanAmount', 'completedDate', 'profileId'],
	Files: ['filelabel', 'filetype', 'originalFilename', 'size', 'url', 'uploadedAt', 'externalId'],
};

/** The association of an entry `{type, association}`, flat; a person's or company's name in one text. */
function simplifyAssociation(entry: IDataObject): IDataObject {
	const association = objectOf(entry.association);
	const type = typeOf(entry);
	const { firstName, middleName, firstLastName, secondLastName, tradeName } = association;
	const name = joined(firstName, middleName, firstLastName, secondLastName) ?? tradeName;
	return {
		...(name !== undefined && name !== null && { name }),
		...pick(association, type ? associationFields[type] : Object.keys(association)),
		...pick(association, ['id']),
	};
}

/** The entries `{type, association}` of a document, of which `association` may be null (CP §2.8 to §2.10). */
export function associationsOf({ associations, id }: IDataObject): IDataObject[] {
	if (Array.isArray(associations)) return associations.filter(isObject);
	if (associations === undefined || associations === null) return [];
	throw new CodedError(
		'shape',
		`The Credit Profile Service gave the associations of document ${String(id)} not as a list`,
		{
			description:
				"Data Document → Get Many gives them as they came with 'Output' set to Documents.",
		},
	);
}

/** One item for each association, the document's ID last. */
export const separateSimplified = (document: IDataObject): IDataObject[] =>
	associationsOf(document).map((entry) => ({
		associationType: entry.type,
		...simplifyAssociation(entry),
		...pick({ documentId: document.id }, ['documentId']),
	}));

/** One item for each association as it came, with the fields of its document. */
export const separateRaw = (document: IDataObject): IDataObject[] =>
	associationsOf(document).map((entry) => ({
		...entry,
		...without(document, 'associations'),
		...idsOf(document),
	}));

const idsOf = ({ externalId, id }: IDataObject): IDataObject =>
	pick({ documentExternalId: externalId, documentId: id }, ['documentExternalId', 'documentId']);
