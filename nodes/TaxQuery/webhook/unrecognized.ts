import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Protection } from '../../shared/personalData/personalData';
import type { Result } from '../deliveries/result';

/** What is emitted as it was delivered. */
export interface Brought {
	result: Result;
	item: INodeExecutionData;
}

/** An authentic delivery that names no query: its text, with personal data protected where that is asked for. */
export function unrecognized(body: Buffer, reason: string, protection?: Protection): Brought {
	const deliveryId = createHash('sha256').update(body).digest('hex').slice(0, 32);
	const text = protection ? protectedText(body, protection) : body.toString();
	const json = { unrecognized: true, reason, body: text, deliveryId, confirmed: false };
	const result: Result = { deliveryId, updatedAt: undefined, record: {}, state: 'unknown' };
	return { result, item: { json } };
}

/** By its keys where it is JSON, which may be nested too deep for that. */
function protectedText(body: Buffer, protection: Protection): string {
	try {
		const value = JSON.parse(body.toString()) as IDataObject;
		return JSON.stringify(protection.json({ value }).value);
	} catch {
		return protection.text(body.toString());
	}
}
