import { UserError, type IDataObject } from 'n8n-workflow';
import type { Item, Operation, Resource } from '../shared/operation';

/** §4.1.1: letters, digits and underscore. The service's pattern allows an empty value, but no login has one. */
const LOGIN = /^[A-Za-z0-9_]+$/;

function readLogin(item: Item, name: 'user' | 'password'): string {
	const value: unknown = item.parameter(name);
	const label = name === 'user' ? 'User' : 'Password';
	if (typeof value !== 'string' || !LOGIN.test(value)) {
		throw new UserError(
			`"${label}" may hold only letters, digits and underscores, and not be empty`,
			{
				description: 'Copy the login as the bureau issued it, without blanks around it.',
			},
		);
	}
	return value;
}

const upsert: Operation = {
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update a credential',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	fields: [
		{
			displayName: 'Provider',
			name: 'provider',
			type: 'options',
			options: [
				{
					name: 'Credit Bureau, Legal-Entity Service',
					value: 'bureau/pm',
				},
			],
			default: 'bureau/pm',
			description: 'Whose login the service is to use for your organization',
		},
		{
			displayName: 'User',
			name: 'user',
			type: 'string',
			default: '',
			required: true,
			description: 'Letters, digits and underscores only',
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Letters, digits and underscores only',
		},
	],
	/** §4.1.1; creates or replaces the organization's credential for the provider. */
	async execute(item) {
		const body = { user: readLogin(item, 'user'), password: readLogin(item, 'password') };
		return await item.request({
			method: 'POST',
			path: `/credential/${item.parameter<string>('provider')}`,
			body,
			secrets: [body.password],
		});
	},
};

const getMany: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many credentials',
	description: "Get the organization's provider credentials",
	fields: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 50,
			description: 'Max number of results to return',
			displayOptions: { show: { returnAll: [false] } },
		},
	],
	/** §4.2: one array holds them all. */
	async execute(item) {
		const credentials = (await item.request({
			method: 'GET',
			path: '/credential',
		})) as IDataObject[];
		return item.parameter<boolean>('returnAll')
			? credentials
			: credentials.slice(0, item.parameter<number>('limit'));
	},
};

export const credential: Resource = {
	name: 'Credential',
	value: 'credential',
	operations: [getMany, upsert],
};
