import { createHmac } from 'node:crypto';
import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';
import { isObject } from '../utils/json';
import { SHORTEST_PSEUDONYM_KEY } from '../credentials/pseudonymKey';
import { isDescription, isNamedThing, personalKind } from './personalKeys';

export type PersonalDataMode = 'full' | 'masked' | 'pseudonym';

/** The names of columns → what they were called before titles were put on them. */
export type NamesBefore = ReadonlyMap<string, string>;

/** How personal data comes out. */
export interface Protection {
	/**
	 * The same JSON with personal values replaced; by key, and identifiers and e-mail addresses in any text. A column that
	 * had another name before is known by either. What comes out stays as it is when it comes here again.
	 */
	json(value: IDataObject, namesBefore?: NamesBefore): IDataObject;
	/** A text, such as an error's, with identifiers and e-mail addresses in it replaced. */
	text(value: string): string;
	/** A value that was asked for under this name: if it is personal, a text hides it, however it is written. */
	learn(name: string, value: unknown): void;
}

export const personalDataOption: INodeProperties = {
	displayName: 'Personal Data',
	name: 'personalData',
	type: 'options',
	options: [
		{ name: 'Full', value: 'full', description: 'As the service gave it' },
		{
			name: 'Masked',
			value: 'masked',
			description: 'Like GODE5612******: for a language model, or a sheet that many read',
		},
		{
			name: 'Pseudonym',
			value: 'pseudonym',
			description:
				"The same value always becomes the same code, so that rows can still be joined. Needs the credential's Pseudonym Key.",
		},
	],
	default: 'masked',
	description:
		'How names, identifiers, addresses, e-mail and phone come out. Fields are known by their names, identifiers and e-mail addresses in any text; look at the output once where documents have fields of your own. What stands in downloaded files stays as it is.',
};

/**
 * A UUID is left alone: a part of it may look like an RFC. Then CURP, RFC, each as people write it (but LOAN-261122-001
 * is an ID), RFC without homoclave (but where it is all of a text, which may be an ID: LOAN261122), e-mail address.
 */
const IN_TEXT =
	/(?<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|(?<![A-Z0-9Ñ])(?:[A-Z]{4}[ -]?\d{6}[ -]?[HMX][A-Z]{5}[ -]?[A-Z0-9]\d|[A-ZÑ&]{3,4}(?:\d\d(?:0[1-9]|1[0-2])[0-3]\d|[ -]?\d\d(?:0[1-9]|1[0-2])[0-3]\d[ -]?(?=\w{0,2}\d)(?=\w{0,2}[A-Z]))[A-Z0-9]{2}[0-9A]|(?<basic>(?<![A-Z0-9Ñ][-_])[A-ZÑ&]{4}-?\d\d(?:0[1-9]|1[0-2])[0-3]\d(?![-_]\w)))(?![A-Z0-9Ñ])|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gi;

/** The option's value. Throws a UserError if it is none of its entries, empty included: never full by mistake. */
export function readPersonalData(options: IDataObject): PersonalDataMode {
	if (!Object.hasOwn(options, 'personalData')) return 'full';
	const { personalData: mode } = options;
	if (mode === 'full' || mode === 'masked' || mode === 'pseudonym') return mode;
	throw new UserError('"Personal Data" must be full, masked or pseudonym', {
		description: 'Choose it from the list, or check the expression that fills it for this item.',
	});
}

/** The protection of a mode; undefined for full. Throws a UserError if the key of pseudonyms is missing or short. */
export function protectionOf(
	mode: PersonalDataMode,
	pseudonymKey: unknown,
): Protection | undefined {
	if (mode === 'full') return undefined;
	if (mode === 'masked') return protectionBy(mask);
	if (typeof pseudonymKey === 'string' && pseudonymKey.length >= SHORTEST_PSEUDONYM_KEY) {
		return protectionBy((value) => pseudonym(value, pseudonymKey));
	}
	throw new UserError('Pseudonyms need the Pseudonym Key of the credential', {
		description: `Open the credential and enter one of ${SHORTEST_PSEUDONYM_KEY} characters or more, or choose Masked.`,
	});
}

function protectionBy(hide: (value: string) => string): Protection {
	const known = new Map<string, ReturnType<typeof personalKind>>();
	const kindOf = (key: string) => {
		if (!known.has(key)) known.set(key, personalKind(key));
		return known.get(key);
	};
	const text = (value: string) =>
		value.replace(IN_TEXT, (found: string, ...more: unknown[]) => {
			const { uuid, basic } = more.at(-1) as { uuid?: string; basic?: string };
			if (uuid || (basic && found === value)) return found;
			return hide(found.includes('@') ? found : found.replace(/[ -]/g, ''));
		});
	/** JSON within a text is protected by its keys. */
	const inText = (value: string): string => {
		if (!/^\s*[{[]/.test(value)) return text(value);
		try {
			const parsed: unknown = JSON.parse(value);
			const safe = JSON.stringify(shown(parsed));
			return safe === JSON.stringify(parsed) ? value : safe;
		} catch {
			return text(value);
		}
	};
	const hidden = (value: unknown, isAllPersonal: boolean): unknown => {
		if (Array.isArray(value)) return value.map((one) => hidden(one, isAllPersonal));
		if (isObject(value)) return json(value, isAllPersonal);
		if (typeof value === 'number' && isAllPersonal) return hide(String(value));
		return typeof value === 'string' && value !== '' ? hide(value) : value;
	};
	const shown = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(shown);
		if (isObject(value)) return json(value, false);
		return typeof value === 'string' ? inText(value) : value;
	};
	const json = (row: IDataObject, isAllPersonal: boolean, before?: NamesBefore): IDataObject => {
		const result: Array<[string, unknown]> = [];
		const isThing = isNamedThing(row);
		for (const [key, value] of Object.entries(row)) {
			const names = [key, before?.get(key) ?? key];
			const kinds = names.map((name) => (name === 'name' && isThing ? undefined : kindOf(name)));
			const isAll = isAllPersonal || kinds.includes('all');
			const isHidden = isAll || kinds.includes('text');
			const isPlain = names.every(isDescription);
			const safe = isPlain ? value : isHidden ? hidden(value, isAll) : shown(value);
			result.push([text(key), safe]);
		}
		return Object.fromEntries(result) as IDataObject;
	};
	const done = new WeakSet<IDataObject>();
	const learned = new Map<string, RegExp>();
	return {
		json(value, namesBefore) {
			if (done.has(value)) return value;
			const safe = json(value, false, namesBefore);
			done.add(safe);
			return safe;
		},
		text: (value) =>
			text(
				[...learned].reduce((told, [one, pattern]) => {
					return told
						.normalize('NFD')
						.replace(pattern, () => hide(one))
						.normalize();
				}, value),
			),
		learn(name, value) {
			const isOfForm = /As$/.test(name); // birthDateAs: how it is entered
			if (typeof value !== 'string' || isOfForm || kindOf(name) === undefined) return;
			const letters = value.normalize('NFD').match(/[\p{L}\p{N}]/gu) ?? [];
			const isCount = /^\d{1,4}$/.test(letters.join(''));
			if (letters.length < SHORTEST_LEARNED || letters.length > LONGEST_LEARNED || isCount) return;
			const pattern = letters.join('[^\\p{L}\\p{N}]{0,3}');
			const isCode = /rfc|curp/i.test(name);
			const edge = '[\\p{L}\\p{N}]';
			learned.set(
				isCode ? letters.join('') : value,
				new RegExp(`(?<!${edge})${pattern}(?!${edge})\\p{M}*`, 'giu'),
			);
		},
	};
}

/** A shorter name is a part of any text. */
const SHORTEST_LEARNED = 3;
const LONGEST_LEARNED = 200;

const BEGINS_LIKE_IDENTIFIER = /^[A-ZÑ&]{3,4}\d{4}(?=\d\d)/i;
const STARS = '******';

/** GODE5612****** of an RFC or CURP, e***@example.com, ******78 of a number, E*** G*** of a name. */
function mask(value: string): string {
	const [kept] = BEGINS_LIKE_IDENTIFIER.exec(value) ?? [];
	if (kept) return kept + STARS;
	if (/:\/\//.test(value)) return STARS;
	if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) {
		return `${value[0]}***${value.slice(value.indexOf('@'))}`;
	}
	if (/^[\d\s()+.-]+$/.test(value)) {
		const isDate = /^\d{4}-\d\d-\d\d/.test(value);
		return value.length >= 8 && !isDate ? STARS + value.slice(-2) : STARS;
	}
	return value.replace(/\S+/g, (word) => `${Array.from(word)[0]}***`);
}

/** The same code for the same value, however it is written: upper or lower case, blanks around it. */
function pseudonym(value: string, key: string): string {
	const written = value.normalize('NFC').trim().replace(/\s+/g, ' ').toUpperCase();
	return `p_${createHmac('sha256', key).update(written).digest('hex').slice(0, 24)}`;
}
