import type { IDataObject } from 'n8n-workflow';
import { SHORTEST_PSEUDONYM_KEY } from '../credentials/pseudonymKey';
import { isObject } from '../utils/json';
import { MASK } from '../utils/redact';
import {
	hideRfcCurpAndEmails,
	maskingFunctions,
	pseudonymFunctionsForKey,
	STARS,
	yearOf,
	type HidersByValueKind,
} from './masks';
import type { PersonalDataMode } from './options';
import type { PersonalDataRuleByField, PersonalDataRule } from './rules';
import { CodedError } from '../utils/codedError';
import { mapValues } from '../utils/objects';

export type RowOrRows = IDataObject | IDataObject[];

export interface PersonalDataHider {
	/** Personal values are replaced by the rule before the row gets its shape. */
	shaped<Shape extends RowOrRows>(
		row: IDataObject,
		rule: PersonalDataRule,
		shape: (row: IDataObject) => Shape,
	): Shape;
	/** A row that comes out: one that no rule was named for is hidden whole. */
	out(row: IDataObject): IDataObject;
	/** A row whose values are hidden, but those of Fields to Keep; its own columns keep their names. */
	values(row: IDataObject): IDataObject;
	/** A text that the node wrote, with identifiers and e-mail addresses in it hidden. */
	text(value: string): string;
}

/** Is undefined for full. Throws a UserError if the key of pseudonyms is missing or short. */
export function personalDataHiderForMode(
	mode: PersonalDataMode,
	pseudonymKey?: unknown,
	fieldsToKeep: string[] = [],
): PersonalDataHider | undefined {
	if (mode === 'full') return undefined;
	const visible = new Set(fieldsToKeep);
	if (mode === 'masked') return protectionBy(maskingFunctions, visible);
	if (typeof pseudonymKey === 'string' && pseudonymKey.length >= SHORTEST_PSEUDONYM_KEY) {
		return protectionBy(pseudonymFunctionsForKey(pseudonymKey), visible);
	}
	throw new CodedError(
		'credential.pseudonymKey',
		"Pseudonyms need the credential's 'Pseudonym Key'",
		{
			description: `Open the credential and enter one of ${SHORTEST_PSEUDONYM_KEY} characters or more, or choose Masked.`,
		},
	);
}

export const maskIdentifiersInText = (value: string): string =>
	hideRfcCurpAndEmails(value, maskingFunctions.personal);

/** Values nested deeper are hidden whole; no meaningful response is. */
const MAX_HIDDEN_DEPTH = 100;

function protectionBy(hiding: HidersByValueKind, visible: Set<string>): PersonalDataHider {
	const text = (value: string) => hideRfcCurpAndEmails(value, hiding.personal);

	function leaf(value: unknown, rule: PersonalDataRule): unknown {
		const isPlain = rule === 'shown' || typeof value === 'boolean';
		if (isPlain || value === undefined || value === null) return value;
		if (rule === 'written') return typeof value === 'string' ? text(value) : value;
		const plain = String(value as string | number);
		if (plain.trim() === '' || plain === MASK) return value;
		return yearOf(plain) ?? (rule === 'personal' ? hiding.personal(plain) : hiding.free(plain));
	}

	function inside(
		value: unknown,
		rule: PersonalDataRule,
		owner: IDataObject,
		depth: number,
	): unknown {
		if (depth > MAX_HIDDEN_DEPTH) return STARS;
		if (typeof rule === 'function') return inside(value, rule(owner), owner, depth);
		if (Array.isArray(value)) return value.map((one) => inside(one, rule, owner, depth + 1));
		return isObject(value) ? object(value, rule, depth + 1) : leaf(value, rule);
	}

	function object(row: IDataObject, rule: PersonalDataRule, depth: number): IDataObject {
		const fields: PersonalDataRuleByField = typeof rule === 'object' ? rule : {};
		const unnamed = rule === 'written' ? 'written' : 'free';
		const result = new Map<string, unknown>();
		const hiddenNames = new Map<string, number>();
		for (const [key, value] of Object.entries(row)) {
			const isNamed = Object.hasOwn(fields, key);
			const name = isNamed || visible.has(key) ? key : freeName(key, row, hiddenNames);
			const of = isNamed ? fields[key] : unnamed;
			result.set(name, visible.has(key) ? value : inside(value, of, row, depth));
		}
		return Object.fromEntries(result) as IDataObject;
	}

	/** The name of a field stays if it is an identifier of programs without four digits in a row; any other may be data. */
	function freeName(key: string, row: IDataObject, counts: Map<string, number>): string {
		if (key.length <= LONGEST_NAME && NAME.test(key) && !/\d{4}/.test(key)) return key;
		const hidden = hiding.free(key);
		for (;;) {
			const count = (counts.get(hidden) ?? 0) + 1;
			counts.set(hidden, count);
			const name = count === 1 ? hidden : `${hidden} ${count}`;
			if (!Object.hasOwn(row, name)) return name;
		}
	}

	const done = new WeakSet<IDataObject>();
	return {
		shaped(row, rule, shape) {
			const safe = shape(inside(row, rule, row, 0) as IDataObject);
			for (const one of [safe].flat()) done.add(one);
			return safe;
		},
		out: (row) => (done.has(row) ? row : (inside(row, 'free', row, 0) as IDataObject)),
		values: (row) =>
			mapValues(row, (value, key) =>
				visible.has(key) ? value : inside(value, 'free', row, 0),
			) as IDataObject,
		text,
	};
}

const LONGEST_NAME = 80;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
