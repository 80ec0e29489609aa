import type { IDataObject } from 'n8n-workflow';
import { isFilled, isObject } from '../utils/json';
import { textOf } from '../utils/text';

/**
 * Whether the body of an answer says that it is an error, on top or under `data`, though its status was 200: by
 * `success`, `ok` or `status` false, a status or code of 400 to 599, a status error or failed, or errors that are filled.
 */
export function tellsFailure(answer: unknown): boolean {
	const body: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
	return isObject(body) && [body, body.data].some((level) => isObject(level) && isError(level));
}

function isError({ success, ok, status, statusCode, code, error, errors }: IDataObject): boolean {
	return (
		[success, ok, status].some((one) => textOf(one).toLowerCase() === 'false') ||
		[status, statusCode, code].some((one) => /^[45]\d\d$/.test(textOf(one))) ||
		/^(error|fail|failed|failure)$/i.test(textOf(status)) ||
		[error, errors].some((one) => (typeof one === 'object' ? isFilled(one) : Boolean(one)))
	);
}
