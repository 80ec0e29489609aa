import type { IDataObject } from 'n8n-workflow';
import { echoOf, queryIdOf } from './record';

/** Queries by what they asked, so that a long list is gone through once for all items. */
export class EchoIndex {
	private readonly records = new Map<string, IDataObject[]>();

	constructor(records: IDataObject[]) {
		for (const record of records) {
			if (queryIdOf(record) === undefined) continue;
			const service = comparable(record.service);
			this.add(service, record);
			for (const [name, value] of Object.entries(echoOf(record))) {
				this.add(keyOf(service, name, value), record);
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

	private add(key: string, record: IDataObject): void {
		const list = this.records.get(key);
		if (list) list.push(record);
		else this.records.set(key, [record]);
	}
}

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

/** Texts without regard to case, blanks and how letters are put together; a field that is missing is an empty one. */
export const comparable = (value: unknown): string =>
	typeof value === 'object' && value !== null
		? JSON.stringify(value)
		: String(value ?? '')
				.normalize('NFC')
				.replace(/\s+/g, ' ')
				.trim()
				.toUpperCase();
