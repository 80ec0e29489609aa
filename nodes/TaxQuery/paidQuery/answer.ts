import { DateTime } from 'luxon';
import { NodeApiError, UserError, type IDataObject } from 'n8n-workflow';
import { tellsFailure } from '../../shared/http/failure';
import { sentences } from '../../shared/utils/sentences';
import { textOf } from '../../shared/utils/text';
import {
	findMessage,
	messageOfService,
	namedQueryOf,
	queryIdSaidIn,
	saidIn,
} from '../../shared/utils/serviceMessage';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Item } from '../../shared/operations/operation';
import {
	ID_NAME,
	isFilled,
	isNamed,
	isObject,
	ownOf,
	queryIdOf,
	readAccepted,
	stateOf,
	withoutCiec,
} from '../queries';
import { keysOfFields, keysOfPath, type QueryService } from '../queries/catalog';
import { lacksProfile, PROFILE_STATUSES } from '../fields/taxProfile';
import type { PaidQuery, PreparedQuery } from './definition';

/** What web frameworks say of a path that is not theirs. */
const NO_PATH =
	/\bCannot POST\b|\b(?:route|endpoint|ruta)\b.*\bno(?:t found| encontrada| existe)\b/i;

/** The error of a query that was surely not accepted, with what to do about it. */
export function refusedError(error: unknown, definition: PaidQuery, fields: IDataObject): unknown {
	if (!(error instanceof NodeApiError)) return error;
	const { service, needsProfile } = definition;
	const status = error.httpCode ?? '';
	if (queryIdSaidIn(error.description) !== undefined) {
		error.description = sentences(
			error.description,
			'Read that with Query → Get before you ask again',
		);
		return error;
	}
	if (status === '404' && NO_PATH.test(saidIn(error.description))) {
		error.message = 'The service has nothing at the path of this query';
		const todo = `Set ${keysOfPath(service)} in the credential's API Mapping, or correct its base URL`;
		error.description = sentences(todo, saidIn(error.description));
		return error;
	}
	if (needsProfile && lacksProfile(error)) {
		error.message = 'There is no tax profile for the RFC of this item';
		error.description = sentences(
			'Run Tax Authority → Create Tax Profile for this RFC first, with its CIEC',
			saidIn(error.description),
		);
		return error;
	}
	if (needsProfile && PROFILE_STATUSES.includes(status)) {
		error.description = sentences(
			error.description,
			'If it has no tax profile yet, run Tax Authority → Create Tax Profile for this RFC first, with its CIEC',
		);
	}
	if (status === '404') {
		if ('curp' in fields) error.message = 'No person was found for this CURP';
		else if ('rfc' in fields) error.message = 'No taxpayer was found for this RFC';
		error.description = sentences(
			'Compare it with an official document',
			error.description,
			`If every item fails so, the deployment calls this path otherwise: set ${keysOfPath(service)} in the credential's API Mapping`,
		);
	} else if (status === '400' || status === '422') {
		error.description = sentences(
			error.description,
			`If every item fails so, the deployment calls the fields otherwise: set ${keysOfFields(service)} in the credential's API Mapping`,
		);
	}
	return error;
}

/** Fields by which services say no more than that something went well, or did not. */
const REMARKS =
	/^(message|mensaje|msg|detalle|status|estatus|success|exito|ok|code|codigo|error|errors|errores|errorcode|errormessage|timestamp)$/i;

/** Whether an answer says no more than that something went well, or did not. */
export const isRemark = (answer: IDataObject): boolean =>
	Object.entries(answer).every(
		([name, value]) => REMARKS.test(name) || value === null || value === '',
	);

/** A 2xx answer that holds neither an ID nor a clear result. */
interface Unclear {
	error: UserError;
	/** What comes out where the list of queries does not have it. */
	word?: IDataObject;
	/** The word tells all that there is to know: it is looked for once only. */
	isEnough?: boolean;
}

/** What the answer to a query that was sent tells of it. */
export function readPosted(
	answer: IDataObject | IDataObject[],
	{ definition, expected, secrets }: PreparedQuery,
	mapping: TaxQueryMapping,
): { queries: IDataObject[] } | Unclear {
	const queries = readAnswer(answer, definition, mapping)?.map((one) => withoutCiec(one, mapping));
	if (queries) return { queries: ownOf(queries, expected, mapping) };
	const [first] = [answer].flat();
	const error = new UserError('its answer holds neither an ID nor a result', {
		description: sentences(messageOfService(first, secrets), namedQueryOf(first, secrets)),
	});
	const content = contentOf(answer);
	if (!content || tellsFailure(answer)) return { error };
	const word = withoutCiec(withoutEnvelopeStatus(content), mapping);
	if (definition.hasNoResult) {
		const hasWords = isRemark(word) && Object.keys(word).length > 0;
		const speaksWell = hasWords || findMessage(word) !== undefined;
		const isRefusal = Number(word.code) >= 400 || stateOf(word, mapping) === 'failed';
		const { message, ...others } = word;
		const said = message === '' ? others : word;
		return speaksWell && !isRefusal ? { error, word: said, isEnough: true } : { error };
	}
	const sense = senseOf(word, definition, mapping);
	return sense ? { error, word, isEnough: sense === 'perhaps a result' } : { error };
}

/**
 * What an answer without an ID says of a query whose result should follow later: that it was accepted, or perhaps its
 * result. Undefined if it surely is its result, or says nothing.
 */
export function senseOf(
	answer: IDataObject,
	{ service: { isImmediate, resultFields }, hasNoResult }: PaidQuery,
	mapping: TaxQueryMapping,
): 'accepted' | 'perhaps a result' | undefined {
	if (hasNoResult || queryIdOf(answer) !== undefined || isFilled(answer.response)) return undefined;
	const { status = answer.estatus } = answer;
	const isPending = textOf(status) !== '' && stateOf({ status }, mapping) === 'pending';
	const names = Object.values(resultFields ?? {});
	const isResult = names.some((name) => isThere(answer[name]));
	if (isPending && !(isImmediate && isResult)) return 'accepted';
	if (isImmediate || isResult || isRemark(withoutIds(answer))) return undefined;
	const isShort = (value: unknown) => typeof value !== 'object' && textOf(value).length <= SHORT;
	if (!Object.values(withoutIds(answer)).every((value) => value === null || isShort(value))) {
		return undefined;
	}
	const speaks = hasUnreadableId(answer) || findMessage(answer) !== undefined;
	if (speaks && names.length > 0) return undefined; // it would have been shown
	return speaks ? 'accepted' : 'perhaps a result';
}

/** A longer text is a document. */
const SHORT = 200;

/**
 * TQ §2.5, §4.11; where no response is shown (TQ §4.8, §4.9), what came. Undefined if it holds neither an ID nor a
 * result, or says that it is an error, whose ID is not a query's: then nobody knows what became of the query.
 */
function readAnswer(
	answer: IDataObject | IDataObject[],
	definition: PaidQuery,
	mapping: TaxQueryMapping,
): IDataObject[] | undefined {
	const accepted = readAccepted(answer);
	const isSure = accepted?.some((row) => isNamed(row) || isFilled(row.response));
	if (!isSure && tellsFailure(answer)) return undefined;
	if (accepted) return accepted.map(withoutEnvelopeStatus);
	const query = contentOf(answer);
	if (!query || senseOf(withoutEnvelopeStatus(query), definition, mapping)) return undefined;
	return holdsResult(query, definition.service) ? [withoutEnvelopeStatus(query)] : undefined;
}

/** Whether an answer without an ID is a result: words and an ID of something else are none where a result is shown. */
function holdsResult(query: IDataObject, { resultFields }: QueryService): boolean {
	if (isRemark(withoutIds(query))) return false;
	const names = Object.values(resultFields ?? {});
	if (names.length === 0 || names.some((name) => isThere(query[name]))) return true;
	const isFlat = !Object.values(withoutIds(query)).some((value) => typeof value === 'object');
	return !isFlat || !(hasUnreadableId(query) || findMessage(query) !== undefined);
}

const hasUnreadableId = (answer: IDataObject) =>
	Object.keys(answer).some((name) => name !== 'id' && ID_NAME.test(name) && isThere(answer[name]));
const isThere = (value: unknown) => value !== undefined && value !== null && value !== '';

/** Of what holds neither a service nor a response, a number or truth value is the status of the answer. */
function withoutEnvelopeStatus(query: IDataObject): IDataObject {
	const { status, ...others } = query;
	if (isRecord(query) || textOf(status) === '') return query;
	const isOfAnswer = /^(2\d\d|true)$/.test(textOf(status));
	const isNoWord = typeof status !== 'string' && queryIdOf(query) !== undefined;
	return isOfAnswer || isNoWord ? others : query;
}

/** Whether an answer is more of a query than an acknowledgement (TQ §2.5). */
const isRecord = ({ service, response }: IDataObject): boolean =>
	(service ?? '') !== '' || isFilled(response);

/**
 * Whether an answer says only that a query was accepted, whatever its status; of one whose result comes at once that is
 * what holds nothing beside its ID.
 */
export const isAcknowledgement = (query: IDataObject, { isImmediate }: QueryService): boolean =>
	queryIdOf(query) !== undefined &&
	!isRecord(query) &&
	(isImmediate !== true || isRemark(withoutIds(query)));

/** An ID that could not be read is no result. */
const withoutIds = (answer: IDataObject): IDataObject =>
	Object.fromEntries(Object.entries(answer).filter(([name]) => !ID_NAME.test(name)));

/** The one object of an answer that holds no queries. */
function contentOf(answer: IDataObject | IDataObject[]): IDataObject | undefined {
	const body: unknown = Array.isArray(answer) ? answer[0] : answer;
	if (!isObject(body) || Array.isArray(body.results)) return undefined;
	return isObject(body.data) ? body.data : body;
}

/** By so much the clocks of n8n and the service may differ. */
const CLOCKS_MS = 60_000;

/** The error of a query of which nobody knows whether it was accepted; `said` tells what looking for it showed. */
export function ambiguousError(
	error: NodeApiError | UserError,
	{ name, service }: PaidQuery,
	since: number,
	said: string,
) {
	const from = DateTime.fromMillis(since - CLOCKS_MS)
		.toUTC()
		.toFormat("yyyy-MM-dd'T'HH:mm:ss'Z'");
	const id = queryIdSaidIn(error.description);
	const message = `The query may have been accepted and billed: ${error.message}`;
	const description = sentences(
		`It was sent after ${from}`,
		said,
		saidIn(error.description),
		id === undefined ? '' : `It names the query "${id}": read that with Query → Get`,
		`Before you send it again, look for "${name}" with Query → Get Many (enter that time as Created After) or in the service. Retrying this execution looks for it and sends nothing. If the list has it all the same, its record calls the service otherwise: set services.${service.operation} in the credential's API Mapping`,
	);
	if (error instanceof UserError) return new UserError(message, { description });
	return Object.assign(error, { message, description });
}

/** Whether nobody knows if a query was accepted; a cancelled execution does not hear of it any more. */
export const isUnsure = ({ run }: Item, { context, httpCode }: NodeApiError): boolean =>
	context.mayHaveBeenAccepted === true || (run.cancelled?.aborted === true && !httpCode);
