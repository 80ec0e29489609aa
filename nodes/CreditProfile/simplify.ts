import type { IDataObject } from 'n8n-workflow';

/** The named fields that a row has, in this order; values as the service gave them. */
function pick(row: IDataObject, names: string[]): IDataObject {
	return Object.fromEntries(
		names.filter((name) => row[name] !== undefined).map((name) => [name, row[name]]),
	);
}

const objectOf = (value: unknown): IDataObject =>
	typeof value === 'object' && value !== null ? (value as IDataObject) : {};

const joined = (...parts: unknown[]): string | undefined =>
	parts.filter((part) => typeof part === 'string' && part !== '').join(' ') || undefined;

/** §2.1, flat. */
export function simplifyCredential(row: IDataObject): IDataObject {
	return {
		...pick(row, ['id', 'type', 'user', 'isEnabled']),
		...pick(objectOf(row.metadata), ['expirationDate']),
		...pick(objectOf(row.configuration), ['isAutoRenewEnabled']),
		...pick(row, ['organizationId', 'ownerId', 'createdAt', 'updatedAt']),
	};
}

/** §2.6 under the names of who created something. */
function creatorOf({ creator }: IDataObject): IDataObject {
	const { name, lastName, email } = objectOf(creator);
	return pick({ creatorName: joined(name, lastName), creatorEmail: email }, [
		'creatorName',
		'creatorEmail',
	]);
}

/** §2.5: the fields that a version's documents have. */
function fieldsOf({ schema }: IDataObject): string[] {
	return Object.keys(objectOf(objectOf(schema).properties));
}

/** §2.2 with the active version and the creator, if they were requested, flat. */
export function simplifyCollection(row: IDataObject): IDataObject {
	const version = row.activeDataCollectionVersion as IDataObject | null | undefined;
	return {
		...pick(row, ['id', 'name', 'slug', 'tags', 'processorKey', 'parentCollectionId']),
		...pick(row, ['activeDataCollectionVersionId']),
		...(version && {
			activeVersionCreatedAt: version.createdAt,
			activeVersionFields: fieldsOf(version),
		}),
		...pick(row, ['creatorId']),
		...creatorOf(row),
		...pick(row, ['createdAt', 'updatedAt']),
	};
}

/** §2.4, flat: of the schema its title and the names of its fields. */
export function simplifyVersion(row: IDataObject): IDataObject {
	const schema = objectOf(row.schema);
	return {
		...pick(row, ['id', 'isActive']),
		...pick(schema, ['title']),
		fields: fieldsOf(row),
		requiredFields: schema.required ?? [],
		...pick(row, ['creatorId', 'createdAt']),
	};
}

/** §2.7; associations, if they were requested, in lists by type. */
export function simplifyDocument(row: IDataObject): IDataObject {
	const associations = row.associations as IDataObject[] | undefined;
	return {
		...pick(row, ['id', 'externalId', 'tags', 'document']),
		...pick(row, ['dataCollectionId', 'dataCollectionVersionId', 'creatorId']),
		...pick(row, ['createdAt', 'updatedAt']),
		...(associations &&
			Object.fromEntries(
				Object.keys(associationFields).map((type) => [
					type.toLowerCase(),
					associations
						.filter((one) => one.type === type && one.association)
						.map((one) => simplifyAssociation(one)),
				]),
			)),
	};
}

const personFields = ['accountType', 'rfc', 'curp', 'email', 'phone'];
/** §2.8 to §2.10: what of an association is kept, beside the name. */
const associationFields: Record<string, string[]> = {
	Profiles: [...personFields, 'externalId', 'tags', 'createdAt', 'updatedAt'],
	Forms: [
		...personFields,
		'profileId',
		'monthlyIncome',
		'loanAmount',
		'completedDate',
		'tags',
		'createdAt',
		'updatedAt',
	],
	Files: [
		'filelabel',
		'filetype',
		'originalFilename',
		'size',
		'url',
		'previewUrl',
		'externalId',
		'tags',
		'uploadedAt',
	],
};

/** The association of an entry `{type, association}`, flat; a person's or company's name in one text. */
export function simplifyAssociation(entry: IDataObject): IDataObject {
	const association = objectOf(entry.association);
	const { firstName, middleName, firstLastName, secondLastName, tradeName } = association;
	const name = joined(firstName, middleName, firstLastName, secondLastName) ?? tradeName;
	return {
		...pick(association, ['id']),
		...(name !== undefined && name !== null && { name }),
		...pick(association, associationFields[String(entry.type)] ?? Object.keys(association)),
	};
}
