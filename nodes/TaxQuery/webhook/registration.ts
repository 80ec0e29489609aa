import {
	UserError,
	type IDataObject,
	type IHookFunctions,
	type INodeProperties,
} from 'n8n-workflow';
import { isObject } from '../../shared/utils/json';
import { isNotFound } from '../../shared/transport/errors';
import { save, load } from '../../shared/operations/nodeState';
import { connect } from '../../shared/transport/request';
import { taxQuery } from '../../shared/transport/service';

const RECEIVE_BY = ['both', 'webhook'];
const byHttp = { displayOptions: { show: { receiveBy: RECEIVE_BY, registration: ['http'] } } };

/** §6.2 shows no endpoint for registration; a deployment that has one is described by these fields. */
export const registrationFields: INodeProperties[] = [
	{
		displayName: 'Registration',
		name: 'registration',
		type: 'options',
		options: [
			{
				name: 'By an HTTP Request',
				value: 'http',
				description:
					'The node registers its URL when the workflow is published. A test in the editor registers nothing: give its test URL to the service by hand.',
			},
			{
				name: 'By Hand',
				value: 'manual',
				description: 'You give the webhook URL to the service yourself',
			},
		],
		default: 'manual',
		description: 'How the service learns the webhook URL',
		displayOptions: { show: { receiveBy: RECEIVE_BY } },
	},
	{
		displayName: 'Registration Path',
		name: 'registrationPath',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. /webhook',
		description:
			'Where the URL is sent when the workflow is published: a path below the base URL of the Tax Query credential',
		...byHttp,
	},
	{
		displayName: 'Registration Method',
		name: 'registrationMethod',
		type: 'options',
		options: [
			{ name: 'POST', value: 'POST' },
			{ name: 'PUT', value: 'PUT' },
		],
		default: 'POST',
		...byHttp,
	},
	{
		displayName: 'URL Field',
		name: 'urlField',
		type: 'string',
		default: 'url',
		required: true,
		description:
			'Name of the field that holds the webhook URL, in what is sent and in what is read',
		...byHttp,
	},
	{
		displayName: 'Further Fields',
		name: 'furtherFields',
		type: 'json',
		default: '{}',
		description: 'More fields to send, as a JSON object, e.g. {"events": ["query.finished"]}',
		...byHttp,
	},
	{
		displayName: 'Look-Up Path',
		name: 'lookUpPath',
		type: 'string',
		default: '',
		placeholder: 'e.g. /webhook',
		description:
			'Where the registered URLs are read, so that none is registered twice. Leave empty if there is no such path.',
		...byHttp,
	},
	{
		displayName: 'Removal Path',
		name: 'removalPath',
		type: 'string',
		default: '',
		placeholder: 'e.g. /webhook/{ID}',
		description:
			'Where the URL is removed by DELETE when the workflow is unpublished; {ID} stands for the ID that the service gave. Leave empty to leave it registered.',
		...byHttp,
	},
];

type Request = Parameters<Awaited<ReturnType<typeof connect>>['send']>[0];

async function send(context: IHookFunctions, request: Request) {
	const { path } = request;
	if (!path.startsWith('/')) {
		throw new UserError(`"${path}" is no path below the base URL of the Tax Query credential`, {
			description: 'Begin it with a slash, e.g. /webhook.',
		});
	}
	return await (await connect(context, taxQuery)).send({ ...request, emptyAs: {} });
}

const text = (context: IHookFunctions, name: string) =>
	String(context.getNodeParameter(name, '')).trim();

/** Under which the service's own ID of the registration is kept until it is removed. */
const KEY = 'taxQueryRegistration';
/**
 * In place of an ID during a test in the editor, whose end is told as an unpublishing is. A test registers nothing: a
 * service may keep one URL, which is production's. n8n keeps static data of a test apart from the workflow's own.
 */
const OF_TEST = { isTest: true };

/** Whether the service already has the webhook URL. It only looks. Throws what the look-up throws. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	if (text(context, 'registration') !== 'http') return true;
	const path = text(context, 'lookUpPath');
	if (path === '' || context.getMode() === 'manual') return false;
	const answer = await send(context, { method: 'GET', path }).catch(none);
	const found = entriesIn(answer).find((entry) => urlIn(context, entry) === ownUrl(context));
	if (found) remember(context, found);
	return found !== undefined;
}

/** Sends the webhook URL to the service. Throws if it is not accepted. */
export async function register(context: IHookFunctions): Promise<void> {
	if (text(context, 'registration') !== 'http') return;
	if (context.getMode() === 'manual') return save(context, KEY, OF_TEST);
	const answer = await send(context, {
		method: text(context, 'registrationMethod') as 'POST' | 'PUT',
		path: text(context, 'registrationPath'),
		body: {
			...furtherFields(context),
			[text(context, 'urlField')]: ownUrl(context),
		},
	});
	const entries = entriesIn(answer);
	const own = entries.find((entry) => urlIn(context, entry) === ownUrl(context));
	const [only] = entries.length === 1 ? entries : [];
	const isOfNoOther = only !== undefined && urlIn(context, only) === undefined;
	remember(context, own ?? (isOfNoOther ? only : {}));
}

const ownUrl = (context: IHookFunctions) => context.getNodeWebhookUrl('default');
const urlIn = (context: IHookFunctions, entry: IDataObject) => entry[text(context, 'urlField')];

/** Removes the webhook URL from the service. What is gone already is no error; any other refusal is thrown. */
export async function unregister(context: IHookFunctions): Promise<void> {
	const template = text(context, 'removalPath');
	if (text(context, 'registration') !== 'http' || template === '') return;
	const id = load<string | typeof OF_TEST>(context, KEY);
	if (typeof id === 'object') return;
	if (template.includes('{ID}') && id === undefined) {
		throw new UserError(
			'The webhook was not removed: the service gave no ID when it was registered',
			{
				description: 'Remove it in the service by hand.',
			},
		);
	}
	const path = template.replace('{ID}', encodeURIComponent(id ?? ''));
	await send(context, { method: 'DELETE', path }).catch(none);
	save(context, KEY, undefined);
}

/** A 404 means that there is nothing; anything else is thrown. */
function none(error: unknown): IDataObject {
	if (isNotFound(error)) return {};
	throw error;
}

function remember(context: IHookFunctions, entry: IDataObject): void {
	const id = entry.id ?? entry._id;
	const isId = typeof id === 'string' || typeof id === 'number';
	save(context, KEY, isId ? String(id) : undefined);
}

/** The registrations in an answer: it may be one, a list, or a list or one under the key data. */
function entriesIn(answer: IDataObject | IDataObject[]): IDataObject[] {
	if (Array.isArray(answer)) return answer.filter(isObject);
	const { data } = answer;
	return typeof data === 'object' && data !== null
		? entriesIn(data as IDataObject | IDataObject[])
		: [answer];
}

function furtherFields(context: IHookFunctions): IDataObject {
	const value: unknown = context.getNodeParameter('furtherFields', '{}');
	const fields: unknown = typeof value === 'string' ? parseJson(value) : value;
	if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) {
		return fields as IDataObject;
	}
	throw new UserError('"Further Fields" must be a JSON object', {
		description: 'For example {"events": ["query.finished"]}, or {} for none.',
	});
}

function parseJson(value: string): unknown {
	try {
		return JSON.parse(value === '' ? '{}' : value);
	} catch {
		return undefined;
	}
}
