import type { TSchema } from '@sinclair/typebox';
import {
	ActiveVersion,
	Collection,
	Credential,
	DataDocument,
	RestrictedSchema,
	User,
	Version,
} from '../../../contract/creditProfile';
import { associationTables } from './creditProfileAssociationTables';
import type { Row } from './creditProfileConstraints';
import {
	boolean,
	dateTime,
	email,
	freeForm,
	integer,
	MISSING,
	nullable,
	number,
	oneOf,
	optional,
	required,
	string,
	strings,
	text,
	user,
} from './creditProfileConstraints';

/** One table of §2. */
export interface ResourceTable {
	section: string;
	name: keyof Samples;
	schema: TSchema;
	/** "No other properties". */
	isClosed: boolean;
	rows: Record<string, Row>;
}

/** What the running sandbox answered, by resource. */
export interface Samples {
	Credential: object[];
	Collection: object[];
	'Embedded version': object[];
	Version: object[];
	'Restricted schema': object[];
	User: object[];
	Document: object[];
	Profile: object[];
	Form: object[];
	'formConfig of a form': object[];
	File: object[];
}

/** The tables of §2 of the Credit Profile document, with what the sandbox's contract must let pass and refuse. */
export const resourceTables: ResourceTable[] = [
	{
		section: '2.1',
		name: 'Credential',
		schema: Credential,
		isClosed: true,
		rows: {
			id: required(number),
			createdAt: required(string),
			updatedAt: required(string),
			organizationId: required(number),
			type: required(string),
			user: text,
			metadata: {
				allowed: [MISSING, null, {}, { expirationDate: null }, { expirationDate: '2027-01-31' }],
				broken: ['x', { expirationDate: '2027-02-30' }, { expirationDate: 5 }],
			},
			configuration: {
				allowed: [MISSING, {}, { isAutoRenewEnabled: false }],
				broken: [null, 'x', { isAutoRenewEnabled: 'no' }],
			},
			isEnabled: required(boolean),
			ownerId: nullable(optional(number)),
		},
	},
	{
		section: '2.2',
		name: 'Collection',
		schema: Collection,
		isClosed: true,
		rows: {
			id: required(integer),
			name: required(string),
			creatorId: required(integer),
			creator: optional(user),
			activeDataCollectionVersionId: required(number),
			activeDataCollectionVersion: { allowed: [MISSING, null], broken: ['x', {}, { id: 1 }] },
			createdAt: optional(dateTime),
			updatedAt: optional(dateTime),
			slug: { allowed: [MISSING, 'a-B-9'], broken: [5, null, '', 'a_b', 'a b', 'á'] },
			parentCollectionId: nullable(optional(integer)),
			tags: required(strings),
			processorKey: text,
		},
	},
	{
		section: '2.3',
		name: 'Embedded version',
		schema: ActiveVersion,
		isClosed: false,
		rows: {
			id: required(integer),
			schema: required(freeForm),
			creatorId: required(integer),
			creator: optional(user),
			createdAt: required(dateTime),
			dataCollectionId: required(integer),
			organizationId: required(integer),
		},
	},
	{
		section: '2.4',
		name: 'Version',
		schema: Version,
		isClosed: true,
		rows: {
			id: required(integer),
			createdAt: required(dateTime),
			creatorId: required(integer),
			isActive: required(boolean),
			schema: required({
				allowed: [{}, { type: 'object', properties: { a: { items: { type: 'string' } } } }],
				broken: [
					'x',
					null,
					{ minimum: 1 },
					{ properties: { a: { $ref: '#' } } },
					{ items: { oneOf: [] } },
				],
			}),
		},
	},
	{
		section: '2.5',
		name: 'Restricted schema',
		schema: RestrictedSchema,
		isClosed: true,
		rows: {
			title: optional(string),
			description: optional(string),
			type: {
				allowed: [
					...['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'],
					['string', 'null'],
					['null', 'integer'],
				],
				broken: [
					'text',
					5,
					['string'],
					['string', 'integer'],
					['null', 'null'],
					['string', 'integer', 'null'],
				],
			},
			pattern: { allowed: ['^[A-ZÑ&]{3,4}$'], broken: ['[', 5, null] },
			format: oneOf('uuid', 'email', 'date-time', 'time', 'date', 'hostname', 'uri'),
			properties: {
				allowed: [{}, { a: {}, 'b c': { type: 'null' } }],
				broken: [[], 'x', { a: 'string' }, { a: { type: 'text' } }],
			},
			items: { allowed: [{}], broken: ['string', [{}], { type: 'text' }] },
			required: { allowed: [[], ['a', 'b']], broken: ['a', ['a', 'a'], [1]] },
			enum: { allowed: [['a']], broken: ['a', ['a', 'a'], [1]] },
			additionalProperties: { allowed: [true, false], broken: [{}, 'false', null] },
		},
	},
	{
		section: '2.6',
		name: 'User',
		schema: User,
		isClosed: false,
		rows: {
			id: number,
			organizationId: number,
			name: text,
			lastName: text,
			createdAt: dateTime,
			deletedAt: nullable(dateTime),
			updatedAt: dateTime,
			email,
			phone: string,
			permissions: strings,
			role: oneOf('admin', 'member', 'base'),
		},
	},
	{
		section: '2.7',
		name: 'Document',
		schema: DataDocument,
		isClosed: false,
		rows: {
			id: number,
			externalId: text,
			tags: strings,
			document: freeForm,
			dataCollectionVersionId: number,
			dataCollectionId: number,
			creatorId: nullable(number),
			createdAt: dateTime,
			updatedAt: dateTime,
			associations: {
				allowed: [MISSING, [], [{ type: 'Forms', association: null }]],
				broken: [
					'x',
					[{ type: 'Reports', association: null }],
					[{ type: 'Profiles' }],
					[{ association: null }],
					[{ type: 'Profiles', association: { filetype: 'pdf' } }],
				],
			},
		},
	},
	...associationTables,
];
