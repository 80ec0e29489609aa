import type { TSchema } from '@sinclair/typebox';
import {
	Collection,
	CollectionsPage,
	ProviderCredential,
	CredentialList,
	DocumentsPage,
	AllTagsResponse,
	CollectionVersionsPage,
} from '../../../contract/creditProfile';
import type { EndpointTestCase, ValidAndInvalidValues } from '../support/endpointTypes';

const filled = (names: string[], value: string) =>
	Object.fromEntries(names.map((name) => [name, value]));

/** CP §4.1: each field is required and a string; there are no others. */
function upsert(
	section: string,
	provider: string,
	fields: string,
	isBureau = false,
): EndpointTestCase {
	const names = fields.split(' ');
	const valid = filled(names, 'ABC_09');
	const values = [undefined, 5, null, ...(isBureau ? ['a-b', 'a b', 'ñ', 'a.b', 'a\n'] : [])];
	return {
		section,
		method: 'POST',
		path: `/credential/${provider}`,
		response: ProviderCredential,
		valid: [valid, filled(names, ''), ...(isBureau ? [] : [filled(names, 'ñ "x" \n 😀')])],
		invalid: [
			[undefined, [valid]],
			[undefined, null],
			['other', { ...valid, other: 'x' }],
			...names.flatMap((name) =>
				values.map((value): [string, object] => [name, { ...valid, [name]: value }]),
			),
		],
	};
}

const list = (section: string, path: string, response: TSchema): EndpointTestCase => ({
	section,
	method: 'GET',
	path,
	response,
});

const flag: ValidAndInvalidValues = { valid: ['true', 'false'], invalid: ['yes'] };
const ofText = { valid: ['"PF"', '["PF","PM"]'], invalid: ['5', 'null', '[5]', '{}'] };
const ofNumbers = { valid: ['1', '[1,2]'], invalid: ['"1"', 'null', '["1"]', '{}'] };

/** CP §4.4: the keys of the filter, with values as JSON. */
const filterValues: Record<string, ValidAndInvalidValues> = {
	name__eq: ofText,
	name__like: { valid: ['"ñ"'], invalid: ['5', '["a"]', 'null'] },
	organizationId__eq: ofNumbers,
	parentCollectionId__eq: ofNumbers,
	activeDataCollectionVersionId__eq: ofNumbers,
	tags__anyOf: ofText,
	tags__eq: ofText,
	processorKey__eq: ofText,
};
export const filterKeys = Object.keys(filterValues);
const filters = (kind: keyof ValidAndInvalidValues) =>
	filterKeys.flatMap((key) => filterValues[key][kind].map((value) => `{"${key}":${value}}`));

/** Every endpoint of CP §4. */
export const endpoints: EndpointTestCase[] = [
	upsert('4.1.1', 'bureau/pm', 'user password', true),
	upsert('4.1.2', 'bureau/pf', 'user password', true),
	upsert('4.1.3', 'prospector/pf', 'user password', true),
	upsert('4.1.4', 'identity-verification', 'user password'),
	upsert('4.1.5', 'sanctions-screening', 'token'),
	upsert('4.1.6', 'credit-bureau-b', 'apiKey username password clientPrivateKey bureauPublicKey'),
	upsert('4.1.7', 'legal-records', 'username password'),
	list('4.2', '/credential', CredentialList),
	list('4.3', '/data/collection/tags', AllTagsResponse),
	{
		...list('4.4', '/data/collection', CollectionsPage),
		query: {
			limit: { valid: ['1', '100', '2.5'], invalid: ['0', '101'] },
			offset: { valid: ['0', '100000', '2.5'], invalid: ['-1'] },
			includeActiveDataCollectionVersion: flag,
			includeCreator: flag,
			filter: {
				valid: ['{}', ...filters('valid')],
				invalid: ['{', '[]', '5', 'null', '', '{"unknown__eq":"x"}', ...filters('invalid')],
			},
		},
	},
	{
		...list('4.5', '/data/collection/{id}', Collection),
		unsent: ['.creator', '.activeDataCollectionVersion'],
		invalidIds: ['x'],
	},
	{
		...list('4.6', '/data/collection/{id}/versions', CollectionVersionsPage),
		query: {
			limit: { valid: ['1', '100'], invalid: ['0', '101', '1.5'] },
			offset: { valid: ['0', '100000'], invalid: ['-1', '1.5'] },
		},
		invalidIds: ['x', '1.5'],
	},
	list('4.7', '/data/document/tags', AllTagsResponse),
	{
		...list('4.8', '/data/collection/{collectionId}/document', DocumentsPage),
		query: {
			limit: { valid: ['10', '100'], invalid: ['9', '101', '10.5'] },
			offset: { valid: ['0', '100000'], invalid: ['-1', '1.5'] },
			includeDataDocumentAssociations: flag,
			includeProfileAssociation: flag,
			includeFormAssociation: flag,
			includeFileAssociation: flag,
			order: {
				valid: ['-document.createdAt', 'document.createdAt', ''],
				invalid: ['createdAt', '-document.updatedAt', '+document.createdAt'],
			},
		},
		invalidIds: ['x'],
	},
];
