import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Protection } from '../../shared/personalData/personalData';
import { MASK } from '../../shared/utils/redact';
import type { Deployment, Result } from '../deliveries/result';
import { namesOfCiec } from '../queries';

/** What is emitted as it was delivered. */
export interface Brought {
	result: Result;
	item: INodeExecutionData;
}

/** An authentic delivery that names no query: its text without a CIEC, personal data protected where that is asked for. */
export function unrecognized(
	body: Buffer,
	reason: string,
	mapping: Deployment['mapping'],
	protection?: Protection,
): Brought {
	const deliveryId = createHash('sha256').update(body).digest('hex').slice(0, 32);
	const shown = protection ? protectedText(body.toString(), protection) : body.toString();
	const text = withoutNamed(shown, namesOfCiec(mapping));
	const json = { unrecognized: true, reason, body: text, deliveryId, confirmed: false };
	const result: Result = { deliveryId, updatedAt: undefined, record: {}, state: 'unknown' };
	return { result, item: { json } };
}

const FORM = /^[\w.%+[\]-]+=[^\s&]*(?:&[\w.%+[\]-]+=[^\s&]*)*$/;

/** By its keys where it is JSON or a form; nothing of what has none, or is nested too deep. */
function protectedText(text: string, protection: Protection): string {
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === 'string') return protectedText(value, protection);
		if (typeof value !== 'object') return MASK;
		return JSON.stringify(protection.json({ value } as IDataObject).value);
	} catch {
		if (!FORM.test(text)) return MASK;
		const fields = [...new URLSearchParams(text)].map(
			([key, value]) => Object.entries(protection.json({ [key]: value }))[0] as [string, string],
		);
		return new URLSearchParams(fields).toString();
	}
}

/** A text in which what stands behind these names is masked: in JSON, in JSON within JSON, in what broke off, in a form. */
function withoutNamed(text: string, names: string[]): string {
	const anyName = names.map((name) => name.replace(/\W/g, '\\$&')).join('|');
	const fields = new RegExp(`(?<!\\w)(?:${anyName})\\\\*"?\\s*[:=]\\s*(\\\\*"|[{[]|)`, 'gi');
	let [safe, at] = ['', 0];
	for (let field = fields.exec(text); field; field = fields.exec(text)) {
		safe += text.slice(at, fields.lastIndex) + MASK;
		at = fields.lastIndex = endOfValue(text, fields.lastIndex, field[1]);
	}
	return safe + text.slice(at);
}

/** Where a value ends that begins so; the end of the text where that cannot be told. */
function endOfValue(text: string, start: number, opening: string): number {
	if (opening === '{' || opening === '[') return text.length;
	const ends = opening === '' ? /[\s,&}\]]/g : /(?<!\\)\\*"/g;
	ends.lastIndex = start;
	for (let end = ends.exec(text); end; end = ends.exec(text)) {
		if (end[0].length <= Math.max(1, opening.length)) return end.index; // else a quote within it
	}
	return text.length;
}
