import { UserError, type IDataObject } from 'n8n-workflow';
import type { Item } from '../shared/operations/operation';
import { isObject } from '../shared/utils/json';
import { textOf } from '../shared/utils/text';
import { freeColumn, type Titles } from './titles';

/** The named fields that a row has, in this order; values as the service gave them. */
function pick(row: IDataObject, names: string[]): IDataObject {
	return Object.fromEntries(
		names.filter((name) => row[name] !== undefined).map((name) => [name, row[name]]),
	);
}

const objectOf = (value: unknown): IDataObject => (isObject(value) ? value : {});

const joined = (...parts: unknown[]): string | undefined =>
	parts.filter((part) => typeof part === 'string' && part !== '').join(' ') || undefined;

/** CP §2.1, flat. */
export function simplifyLogin(row: IDataObject): IDataObject {
	return {
		...pick(row, ['type', 'user', 'isEnabled']),
		...pick(objectOf(row.metadata), ['expirationDate']),
		...pick(objectOf(row.configuration), ['isAutoRenewEnabled']),
		...pick(row, ['createdAt', 'updatedAt', 'organizationId', 'ownerId', 'id']),
	};
}

/** CP §2.6 under the names of who created something. */
function creatorOf({ creator }: IDataObject): IDataObject {
	const { name, lastName, email } = objectOf(creator);
	return pick({ creatorName: joined(name, lastName), creatorEmail: email }, [
		'creatorName',
		'creatorEmail',
	]);
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
		...(isObject(version) && {
			activeVersionFields: fieldsOf(version),
			...pick({ activeVersionCreatedAt: version.createdAt }, ['activeVersionCreatedAt']),
		}),
		...creatorOf(row),
		...pick(row, ['createdAt', 'updatedAt']),
		...pick(row, ['parentCollectionId', 'activeDataCollectionVersionId', 'creatorId', 'id']),
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

/**
 * CP §2.7: what is in the document first, under the titles of its schema; associations in lists by type. Personal data is
 * protected here, for by a title alone nobody may know it.
 */
export function simplifyDocument(
	row: IDataObject,
	titles: Titles,
	protect: Item['protect'],
): IDataObject {
	const { associations } = row;
	const { content, keys } = contentOf(row, titles);
	const simple = {
		...content,
		...(Array.isArray(associations) ? byType(associations) : filled({ associations })),
		...pick(row, ['tags', 'createdAt', 'externalId', 'id']),
	};
	return protect(simple, keys);
}

const filled = (row: IDataObject): IDataObject =>
	Object.fromEntries(
		Object.entries(row).filter(([, value]) => value !== undefined && value !== null),
	);

/** The fields of a document, each in a column of its own, with its key; a document that has none as it came. */
function contentOf({ document, dataCollectionVersionId }: IDataObject, { columnOf }: Titles) {
	const keys = new Map<string, string>();
	if (!isObject(document)) return { content: filled({ document }), keys };
	const content = Object.entries(document).map(([key, value]) => {
		const column = freeColumn(columnOf(dataCollectionVersionId, key), key, keys);
		keys.set(column, key);
		return [column, value];
	});
	return { content: Object.fromEntries(content) as IDataObject, keys };
}

/** Those of a type that the document does not name are kept as they came. */
function byType(associations: unknown[]): IDataObject {
	const ofType = (type: string) =>
		associations.filter(isObject).filter((one) => typeOf(one) === type);
	const others = associations.filter(
		(one) => one !== null && !(isObject(one) && typeOf(one) !== undefined),
	);
	return {
		...Object.fromEntries(
			Object.keys(associationFields).map((type) => [
				type.toLowerCase(),
				ofType(type).map(simplifyAssociation),
			]),
		),
		...(others.length > 0 && { associations: others as IDataObject[] }),
	};
}

const personFields = ['accountType', 'rfc', 'curp', 'email', 'phone'];
/** CP §2.8 to §2.10: what of an association is kept, beside the name and the ID. */
const associationFields: Record<string, string[]> = {
	Profiles: [...personFields, 'tags', 'createdAt', 'updatedAt', 'externalId'],
	Forms: [...personFields, 'monthlyIncome', 'loanAmount', 'completedDate', 'tags', 'profileId'],
	Files: [
		'filelabel',
		'filetype',
		'originalFilename',
		'size',
		'url',
		'previewUrl',
		'uploadedAt',
		'tags',
		'externalId',
	],
};

/** The type of an entry `{type, association}` as the document writes it; undefined if it is none of these. */
export const typeOf = ({ type }: IDataObject): string | undefined =>
	Object.keys(associationFields).find(
		(known) => known.toLowerCase() === textOf(type).trim().toLowerCase(),
	);

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

/** The columns of associations as separate items. */
export const ASSOCIATION_COLUMNS = [
	...new Set(['associationType', 'name', ...Object.values(associationFields).flat(), 'id']),
	'documentExternalId',
	'documentId',
];

/** The same with Simplify off. */
export const RAW_ASSOCIATION_COLUMNS = ['type', 'association', 'documentExternalId', 'documentId'];

/** The entries `{type, association}` of a document, of which `association` may be null (CP §2.8 to §2.10). */
export function associationsOf({ associations, id }: IDataObject): IDataObject[] {
	if (Array.isArray(associations)) return associations.filter(isObject);
	if (associations === undefined || associations === null) return [];
	throw new UserError(
		`The Credit Profile Service gave the associations of document ${String(id)} not as a list`,
		{
			description:
				'Data Document → Get Many without "Associations as Separate Items" gives them as they came.',
		},
	);
}

/** One item for each association of a document, the document's IDs last. */
export function separateAssociations(document: IDataObject, isSimple: boolean): IDataObject[] {
	return associationsOf(document).map((entry) => ({
		...(isSimple ? { associationType: entry.type, ...simplifyAssociation(entry) } : entry),
		...pick({ documentExternalId: document.externalId, documentId: document.id }, [
			'documentExternalId',
			'documentId',
		]),
	}));
}
