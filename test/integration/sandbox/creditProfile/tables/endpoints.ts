import type { TSchema } from '@sinclair/typebox';
import {
	Collection,
	CollectionsPage,
	Credential,
	CredentialList,
	DocumentsPage,
	TagList,
	VersionsPage,
} from '../../../../../contract/creditProfile';

/** One endpoint of CP §4, with requests that it takes, and such that break each of its constraints. */
export interface EndpointTable {
	section: string;
	method: 'GET' | 'POST';
	/** Path template relative to /api/v1, as the OpenAPI page shows it. */
	template: string;
	/** The same with values. */
	path: string;
	response: TSchema;
	bodies?: { valid: object[]; broken: Array<[field: string | undefined, body: unknown]> };
	/** By name of the parameter: texts that it takes, and texts that it refuses. */
	query?: Record<string, { valid: string[]; broken: string[] }>;
	/** Paths that are refused with 400, naming the parameter. */
	brokenPaths?: Array<[field: string, path: string]>;
	/** A path of something that is not there. */
	unknownPath?: string;
}

const texts = (names: string[], valid: string) =>
	Object.fromEntries(names.map((name) => [name, valid]));

/** CP §4.1: a body of these fields; each is required and a string, and there are no others. */
function upsert(section: string, path: string, names: string[], isPattern = false): EndpointTable {
	const valid = texts(names, 'ABC_09');
	const broken: Array<[string | undefined, unknown]> = [
		[undefined, [valid]],
		[undefined, null],
		['other', { ...valid, other: 'x' }],
	];
	for (const name of names) {
		const others = texts(
			names.filter((other) => other !== name),
			'ABC_09',
		);
		broken.push(
			[name, others],
			[name, { ...valid, [name]: 5 }],
			[name, { ...valid, [name]: null }],
		);
		if (!isPattern) continue;
		for (const value of ['a-b', 'a b', 'ñ', 'a.b', 'a\n']) {
			broken.push([name, { ...valid, [name]: value }]);
		}
	}
	return {
		section,
		method: 'POST',
		template: `/credential/${path}`,
		path: `/credential/${path}`,
		response: Credential,
		bodies: {
			valid: [valid, texts(names, ''), ...(isPattern ? [] : [texts(names, 'ñ "x" \n 😀')])],
			broken,
		},
	};
}

const flag = { valid: ['true', 'false'], broken: ['yes', '1', ''] };
const offset = { valid: ['0', '5', '100000'], broken: ['-1', 'x', ''] };
const integer = ['1.5'];

const oneOrMany = (one: string, many: string, ...broken: string[]) => ({
	valid: [`{"KEY":${one}}`, `{"KEY":${many}}`],
	broken: broken.map((value) => `{"KEY":${value}}`),
});
const strings = () => oneOrMany('"PF"', '["PF","PM"]', '5', 'null', '[5]', '{}');
const numbers = () => oneOrMany('1', '[1,2]', '"x"', '"1"', 'null', '["1"]', '{}');
/** CP §4.4: the keys of the filter. */
export const filterKeys: Record<string, { valid: string[]; broken: string[] }> = {
	name__eq: strings(),
	name__like: { valid: ['{"KEY":"ñ"}'], broken: ['{"KEY":5}', '{"KEY":["a"]}', '{"KEY":null}'] },
	organizationId__eq: numbers(),
	parentCollectionId__eq: numbers(),
	activeDataCollectionVersionId__eq: numbers(),
	tags__anyOf: strings(),
	tags__eq: strings(),
	processorKey__eq: strings(),
};

/** Every endpoint of CP §4. */
export const endpointTables: EndpointTable[] = [
	upsert('4.1.1', 'bureau/pm', ['user', 'password'], true),
	upsert('4.1.2', 'bureau/pf', ['user', 'password'], true),
	upsert('4.1.3', 'prospector/pf', ['user', 'password'], true),
	upsert('4.1.4', 'identity-verification', ['user', 'password']),
	upsert('4.1.5', 'sanctions-screening', ['token']),
	upsert('4.1.6', 'credit-bureau-b', [
		'apiKey',
		'username',
		'password',
		'clientPrivateKey',
		'bureauPublicKey',
	]),
	upsert('4.1.7', 'legal-records', ['username', 'password']),
	{
		section: '4.2',
		method: 'GET',
		template: '/credential',
		path: '/credential',
		response: CredentialList,
	},
	{
		section: '4.3',
		method: 'GET',
		template: '/data/collection/tags',
		path: '/data/collection/tags',
		response: TagList,
	},
	{
		section: '4.4',
		method: 'GET',
		template: '/data/collection',
		path: '/data/collection',
		response: CollectionsPage,
		query: {
			limit: { valid: ['1', '100', '2.5'], broken: ['0', '101', '-1', 'x', ''] },
			offset,
			includeActiveDataCollectionVersion: flag,
			includeCreator: flag,
			filter: { valid: ['{}'], broken: ['{', '[]', '5', 'null', '', '{"unknown__eq":"x"}'] },
		},
		unknownPath: '/data/collections',
	},
	{
		section: '4.5',
		method: 'GET',
		template: '/data/collection/{id}',
		path: '/data/collection/1',
		response: Collection,
		brokenPaths: [['id', '/data/collection/x']],
		unknownPath: '/data/collection/987654',
	},
	{
		section: '4.6',
		method: 'GET',
		template: '/data/collection/{id}/versions',
		path: '/data/collection/2/versions',
		response: VersionsPage,
		query: {
			limit: { valid: ['1', '100'], broken: ['0', '101', 'x', '', ...integer] },
			offset: { ...offset, broken: [...offset.broken, ...integer] },
		},
		brokenPaths: [
			['id', '/data/collection/x/versions'],
			['id', '/data/collection/1.5/versions'],
		],
		unknownPath: '/data/collection/987654/versions',
	},
	{
		section: '4.7',
		method: 'GET',
		template: '/data/document/tags',
		path: '/data/document/tags',
		response: TagList,
	},
	{
		section: '4.8',
		method: 'GET',
		template: '/data/collection/{collectionId}/document',
		path: '/data/collection/2/document',
		response: DocumentsPage,
		query: {
			limit: { valid: ['10', '100'], broken: ['9', '101', 'x', '', ...integer] },
			offset: { ...offset, broken: [...offset.broken, ...integer] },
			includeDataDocumentAssociations: flag,
			includeProfileAssociation: flag,
			includeFormAssociation: flag,
			includeFileAssociation: flag,
			order: {
				valid: ['-document.createdAt', 'document.createdAt', ''],
				broken: ['createdAt', '-document.updatedAt', '+document.createdAt'],
			},
		},
		brokenPaths: [['collectionId', '/data/collection/x/document']],
		unknownPath: '/data/collection/987654/document',
	},
];
