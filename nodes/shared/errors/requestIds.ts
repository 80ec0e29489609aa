import type { IDataObject } from 'n8n-workflow';
import { holdsSecret } from '../utils/secretDetector';
import { textOf } from '../utils/primitiveText';
import type { ServiceMessage } from './requestProblem';

/** Services and proxies name a request in their logs by these headers. The last is of W3C Trace Context. */
const HEADERS = ['x-request-id', 'x-correlation-id', 'traceparent'];
/** Visible ASCII without blanks: anything else is no identifier. */
const ID = /^[\x21-\x7e]{1,200}$/;

/** One that repeats a secret is left out. */
export function extractRequestIds(
	headers: IDataObject,
	secrets: string[],
): Pick<ServiceMessage, 'requestIds'> {
	const requestIds = HEADERS.flatMap((name) => {
		const id = textOf([headers[name]].flat()[0]).trim();
		return ID.test(id) && !holdsSecret(id, secrets) ? [`${name}: ${id}`] : [];
	});
	return requestIds.length > 0 ? { requestIds } : {};
}

export const appendRequestIdToMessage = (message: string, [id]: string[] = []): string =>
	id === undefined ? message : `${message} (${id})`;
