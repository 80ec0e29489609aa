import { DateTime } from 'luxon';
import {
	UserError,
	type IDataObject,
	type ITriggerFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';
import { readPersonalData, type PersonalDataMode } from '../../shared/personalData/personalData';

/** What the trigger was published with. */
export interface Settings {
	receiveBy: 'both' | 'webhook' | 'asking';
	askEveryMs: number;
	/** The service's record is emitted, not what was delivered. */
	isToBeConfirmed: boolean;
	/** Results of a delivery without a webhook credential are never believed. */
	isAuthenticated: boolean;
	simplify: boolean;
	personalData: PersonalDataMode;
	services: unknown;
	statuses: unknown;
	/** Results that one look emits at most. */
	maxResults: number;
	options: IDataObject;
}

const MIN_SECONDS = 5;
export const MIN_ASK_MS = MIN_SECONDS * 1000;
const DEFAULT_SECONDS = 30;
const DEFAULT_RESULTS = 100;

type Context = Pick<ITriggerFunctions | IWebhookFunctions, 'getNodeParameter'>;

/** Reads a trigger's parameters. Throws a UserError that names the one that cannot be used. */
export function readSettings(context: Context): Settings {
	const read = (name: string, fallback: unknown): unknown =>
		context.getNodeParameter(name, fallback as string);
	const receiveBy = read('receiveBy', 'both') as Settings['receiveBy'];
	const seconds = Number(read('askEvery', DEFAULT_SECONDS));
	if (receiveBy !== 'webhook' && !(seconds >= MIN_SECONDS)) {
		throw new UserError(`"Ask Every (Seconds)" must be a number, ${MIN_SECONDS} or more`, {
			description: 'Open the trigger and correct it.',
		});
	}
	const options = read('settings', {}) as IDataObject;
	const maxResults = Number(options.maxResults ?? DEFAULT_RESULTS);
	if (!Number.isInteger(maxResults) || maxResults < 1) {
		throw new UserError('"Max Results per Look" must be a whole number, 1 or more', {
			description: 'Open the trigger and correct it under Options.',
		});
	}
	const isAuthenticated = receiveBy !== 'asking' && read('authenticity', 'none') === 'credential';
	return {
		receiveBy,
		askEveryMs: seconds * 1000,
		isAuthenticated,
		isToBeConfirmed: !isAuthenticated || read('confirm', true) !== false,
		simplify: read('simplify', true) !== false,
		personalData: readPersonalData(options),
		services: read('services', []),
		statuses: read('statuses', []),
		maxResults,
		options,
	};
}

/**
 * From when on results are emitted by "Start From": milliseconds since the epoch; undefined for the moment of
 * publishing. Throws a UserError if the date is none.
 */
export function readStart(context: ITriggerFunctions): number | undefined {
	const startFrom = context.getNodeParameter('startFrom', 'activation');
	if (startFrom === 'hours') {
		const hours = Number(context.getNodeParameter('hours'));
		if (hours > 0) return Date.now() - hours * 3_600_000;
		throw new UserError('"Hours" of Start From must be a number above 0', {
			description: 'Open the trigger and correct it.',
		});
	}
	if (startFrom !== 'date') return undefined;
	const written = context.getNodeParameter('date', '');
	const date = DateTime.fromISO(typeof written === 'string' ? written : '', {
		zone: context.getTimezone(),
	});
	if (date.isValid) return date.toMillis();
	throw new UserError('"Date" of Start From is empty or not a date', {
		description: 'Choose the date from which on results are emitted.',
	});
}
