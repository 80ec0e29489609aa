import type { IDataObject } from 'n8n-workflow';
import {
	rulesToHideFields,
	buildShownFieldRules,
	type PersonalDataRuleByField,
	type PersonalDataRule,
} from '../shared/personalData/rules';
import { isObject } from '../shared/utils/json';

// These rules name what is personal in the objects of CP §2. An object or field without a rule is hidden whole.

/** CP §2.5: a schema names fields, it holds nobody's data. */
const schema: PersonalDataRuleByField = {
	...buildShownFieldRules(
		'title description type pattern format required enum additionalProperties',
	),
	properties: ({ properties }) =>
		Object.fromEntries(
			Object.keys(isObject(properties) ? properties : {}).map((name) => [name, () => schema]),
		),
	items: () => schema,
};

/** CP §2.6 */
const user: PersonalDataRuleByField = {
	...buildShownFieldRules('id organizationId createdAt deletedAt updatedAt permissions role'),
	...rulesToHideFields('name lastName email phone'),
};

/** CP §2.3, §2.4 */
export const versionRules: PersonalDataRuleByField = {
	...buildShownFieldRules('id creatorId createdAt isActive dataCollectionId organizationId'),
	schema,
	creator: user,
};

/** CP §2.2 */
export const collectionRules: PersonalDataRuleByField = {
	...buildShownFieldRules(
		'id name creatorId activeDataCollectionVersionId createdAt updatedAt slug parentCollectionId tags processorKey',
	),
	creator: user,
	activeDataCollectionVersion: versionRules,
};

/** CP §2.1 */
export const loginRules: PersonalDataRuleByField = {
	...buildShownFieldRules('id createdAt updatedAt organizationId type isEnabled ownerId'),
	...rulesToHideFields('user'),
	metadata: buildShownFieldRules('expirationDate'),
	configuration: buildShownFieldRules('isAutoRenewEnabled'),
};

/** CP §4.3, §4.7 */
export const tagRules: PersonalDataRuleByField = buildShownFieldRules('count data tag');

const PERSON_FIELDS =
	'email firstName middleName firstLastName secondLastName tradeName rfc basicRFC phone curp neighborhood address address2 exteriorNumber interiorNumber city municipality zipCode nss birthdate';

/** CP §2.8; state, country and nationality are codes. */
const profile: PersonalDataRuleByField = {
	...buildShownFieldRules(
		'id organizationId createdAt updatedAt tags tagIds externalId accountType state country nationality',
	),
	...rulesToHideFields(PERSON_FIELDS),
};

/** CP §2.9 */
const form: PersonalDataRuleByField = {
	...buildShownFieldRules(
		'id accountType nationality state country completedDate profileId isNipConfirmed createdAt updatedAt tagIds tags customPagesConfigId nipSmsSentCount nipEmailSentCount',
	),
	...rulesToHideFields(`${PERSON_FIELDS} monthlyIncome loanAmount`),
	tagsAssociation: buildShownFieldRules('id label'),
	formConfig: {
		...buildShownFieldRules(
			'id organizationId name accountType slug createdAt updatedAt customPagesConfigId',
		),
		...rulesToHideFields('bureauAuthTradeName formCompletedURL'),
	},
};

/** CP §2.10 */
const file: PersonalDataRuleByField = {
	...buildShownFieldRules(
		'id uploadedAt createdAt updatedAt size organizationId filetype externalId uploaderId fileCollectionId tags',
	),
	...rulesToHideFields('filelabel originalFilename url previewUrl'),
};

const rules = { Profiles: profile, Forms: form, Files: file };
export type DocumentAssociationType = keyof typeof rules;

/** A type that the API reference does not name is undefined. */
export const associationTypeOf = ({ type }: IDataObject): DocumentAssociationType | undefined =>
	(Object.keys(rules) as DocumentAssociationType[]).find((known) => known === type);

function association(entry: IDataObject): PersonalDataRule {
	const type = associationTypeOf(entry);
	return type ? rules[type] : 'free';
}

/** CP §2.7 */
export const documentRules: PersonalDataRuleByField = {
	...buildShownFieldRules(
		'id externalId tags dataCollectionVersionId dataCollectionId creatorId createdAt updatedAt',
	),
	document: 'free',
	associations: { ...buildShownFieldRules('type'), association },
};
