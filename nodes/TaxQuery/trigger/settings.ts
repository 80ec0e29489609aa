import { type IDataObject, type ITriggerFunctions, type IWebhookFunctions } from 'n8n-workflow';
import { parseBoolean } from '../../shared/operations/fields';
import { positiveIntOrUndefined } from '../../shared/operations/commonFields';
import { readMoment } from '../fields/dates';
import {
	readFilterSettings,
	triggerSettingError,
	statusesField,
	queryTypesField,
	type FilterSettings,
} from './filters';
import { readPersonalDataMode, type PersonalDataMode } from '../../shared/personalData/options';
import { HOUR_MS } from '../../shared/utils/durations';

export interface TriggerSettings {
	receiveBy: 'both' | 'webhook' | 'asking';
	checkEveryMs: number;
	/** Results of webhook calls without a proof are refused. */
	isAuthenticated: boolean;
	/**
	 * The part that the service must confirm: the result, or its status alone, with the webhook call's detail. With
	 * 'off' the webhook call must be verified.
	 */
	confirm: 'result' | 'statusOnly' | 'off';
	simplify: boolean;
	personalData: PersonalDataMode;
	choice: FilterSettings;
	/** Each item shows the fields of the webhook call around the record. */
	hasEnvelope: boolean;
	maxResults: number;
	options: IDataObject;
}

const MIN_SECONDS = 5;
export const MIN_CHECK_MS = MIN_SECONDS * 1000;
const DEFAULT_SECONDS = 30;
const DEFAULT_RESULTS = 100;

type ParameterContext = Pick<ITriggerFunctions | IWebhookFunctions, 'getNodeParameter'>;

/** Throws a UserError that names the parameter that cannot be used. */
export function readSettings(context: ParameterContext): TriggerSettings {
	const read = (name: string, fallback: unknown): unknown =>
		context.getNodeParameter(name, fallback as string);
	const receiveBy = read('receiveBy', 'both') as TriggerSettings['receiveBy'];
	const options = read('settings', {}) as IDataObject;
	const { checkEvery: seconds = DEFAULT_SECONDS, maxResults = DEFAULT_RESULTS } = options;
	if (receiveBy !== 'webhook' && !(Number(seconds) >= MIN_SECONDS)) {
		const problem = `must be a number, ${MIN_SECONDS} or more`;
		throw triggerSettingError('field.number', 'Check Every (Seconds)', problem);
	}
	const most = positiveIntOrUndefined(maxResults);
	if (most === undefined) {
		throw triggerSettingError(
			'field.number',
			'Max Results per Check',
			'must be a whole number, 1 or more',
		);
	}
	const isAuthenticated = receiveBy !== 'asking' && read('authenticity', 'none') === 'credential';
	const confirm = read('confirm', 'result') as TriggerSettings['confirm'];
	return {
		receiveBy,
		checkEveryMs: Number(seconds) * 1000,
		isAuthenticated,
		confirm: confirm === 'off' && !isAuthenticated ? 'result' : confirm,
		simplify: options.simplify !== false,
		personalData: readPersonalDataMode(options),
		choice: readFilterSettings(
			read('services', queryTypesField.default),
			read('statuses', statusesField.default),
			options.otherServices,
		),
		hasEnvelope:
			Object.hasOwn(options, 'includeEnvelope') &&
			parseBoolean(options.includeEnvelope, 'Include Envelope'),
		maxResults: most,
		options,
	};
}

/** Parameters that, when they are changed, let the trigger begin anew. */
export function startFromKey(context: Pick<ITriggerFunctions, 'getNode'>): string {
	const { startFrom, hours, date } = context.getNode().parameters;
	return JSON.stringify([startFrom, hours, date]);
}

/**
 * Gives milliseconds since the epoch; undefined means the moment of publishing. Throws a UserError for an invalid
 * date.
 */
export function readStartFrom(context: ITriggerFunctions): number | undefined {
	const startFrom = context.getNodeParameter('startFrom', 'activation');
	if (startFrom === 'hours') {
		const hours = Number(context.getNodeParameter('hours'));
		if (hours > 0) return Date.now() - hours * HOUR_MS;
		throw triggerSettingError('field.number', 'Hours', "of 'Start From' must be a number above 0");
	}
	if (startFrom !== 'date') return undefined;
	const written: unknown = context.getNodeParameter('date', '');
	const zone = context.getTimezone();
	return readMoment(written, 'Date', zone).toMillis();
}
