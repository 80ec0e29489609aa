import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { textOf } from '../../shared/utils/text';
import { asDocumented, serviceOf } from './catalog';
import { echoOf, isBare, queryIdOf } from './record';

/** Queries by what they asked, so that a long list is gone through once for all items. */
export class EchoIndex {
	private readonly records = new Map<string, IDataObject[]>();
	/** By what any of their fields holds; those that do not say what was asked by ''. */
	private readonly byValue = new Map<string, IDataObject[]>();

	constructor(
		records: IDataObject[],
		private readonly mapping: TaxQueryMapping = asDocumented,
	) {
		for (const record of records) {
			const echo = echoOf(record);
			const values = isBare(record, mapping) ? [''] : Object.values(echo).map(loosely);
			for (const value of new Set(values)) add(this.byValue, value, record);
			if (queryIdOf(record) === undefined) continue;
			const service = comparable(record.service);
			add(this.records, service, record);
			for (const [name, value] of Object.entries(echo)) {
				add(this.records, keyOf(service, name, value), record);
			}
		}
	}

	/** Those of this service that echo these fields, and maybe more. */
	find(service: string, echo: IDataObject): IDataObject[] {
		const code = comparable(service);
		const lists = Object.entries(echo)
			.filter(([, value]) => comparable(value) !== '')
			.map(([name, value]) => this.records.get(keyOf(code, name, value)) ?? []);
		const all = this.records.get(code) ?? [];
		const shortest = lists.reduce((a, b) => (a.length <= b.length ? a : b), all);
		return shortest.filter((record) => echoes(record, service, echo));
	}

	/**
	 * Those that may be the same, found or not: of this service or one that nobody knows, with the longest of these values
	 * under any name and nothing that speaks against it. Looks at so many rows `atMost`.
	 */
	findLike(service: string, echo: IDataObject, atMost = Infinity): IDataObject[] {
		const [longest = ''] = Object.values(echo)
			.map(loosely)
			.sort((a, b) => b.length - a.length);
		const rows = this.byValue.get(longest)?.slice(0, atMost) ?? [];
		return rows.filter(
			(row) => isMaybeOf(row, service, this.mapping) && !contradicts(echoOf(row), echo),
		);
	}

	/** Those that may be of this service and do not say what was asked. */
	findBare(service: string): IDataObject[] {
		return (this.byValue.get('') ?? []).filter((row) => isMaybeOf(row, service, this.mapping));
	}
}

function add(lists: Map<string, IDataObject[]>, key: string, record: IDataObject): void {
	const list = lists.get(key);
	if (list) list.push(record);
	else lists.set(key, [record]);
}

/** Whether a record is of this service, or of one that the mapping does not know. */
export const isMaybeOf = (record: IDataObject, service: string, mapping: TaxQueryMapping) =>
	comparable(record.service) === comparable(service) ||
	serviceOf(record.service, mapping) === undefined;

/** Whether a field holds something else, in the same form: 2026-03 and 03/2026 may be the same. */
const contradicts = (echoed: IDataObject, echo: IDataObject): boolean =>
	Object.keys(echo).some((name) => {
		const [own, asked] = [Object.hasOwn(echoed, name) ? echoed[name] : '', echo[name]].map(textOf);
		return own !== '' && loosely(own) !== loosely(asked) && formOf(own) === formOf(asked);
	});

const formOf = (text: string) => (/^\d/.test(text) ? text.replace(/\d/g, '0') : '');

const keyOf = (service: string, name: string, value: unknown) =>
	JSON.stringify([service, name, comparable(value)]);

/** Whether a record is a query of this service that echoes these fields. */
function echoes(record: IDataObject, service: string, echo: IDataObject): boolean {
	if (comparable(record.service) !== comparable(service)) return false;
	const echoed = echoOf(record);
	return Object.entries(echo).every(([name, value]) => {
		const own = Object.hasOwn(echoed, name) ? echoed[name] : '';
		return comparable(own) === comparable(value);
	});
}

/**
 * Texts without regard to case, blanks, acute accents and diaereses (never Ñ) and the zero of 05; a field that is
 * missing is an empty one.
 */
export const comparable = (value: unknown): string =>
	typeof value === 'object' && value !== null
		? JSON.stringify(value)
		: String(value ?? '')
				.normalize('NFD')
				.replace(/[\u0301\u0308]/g, '')
				.normalize('NFC')
				.replace(/\s+/g, ' ')
				.trim()
				.toUpperCase()
				.replace(/^0(?=\d$)/, '');

/** Letters and digits alone: what reads alike may be the same. */
export const loosely = (value: unknown): string =>
	textOf(value)
		.normalize('NFD')
		.replace(/[^\p{L}\p{N}]/gu, '')
		.toUpperCase()
		.replace(/^0(?=\d$)/, '');
