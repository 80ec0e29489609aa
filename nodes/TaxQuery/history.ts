import { UserError, type IDataObject } from 'n8n-workflow';
import type { Item } from '../shared/operation';
import { echoOf, queryIdOf, readQueryList } from '../shared/queries';

/** What a query's record must say to be the one looked for. */
export interface Wanted {
	service: string;
	/** The fields that the record echoes. */
	echo: IDataObject;
}

/** §4.12: every query made. Throws a UserError without anything of the request in it. */
export async function readHistory(item: Item, query: IDataObject): Promise<IDataObject[]> {
	const outcome = await item.request({ method: 'GET', path: '/query', query }).then(
		(body) => ({ body }),
		({ message, description }: UserError) => ({ message, description }),
	);
	if ('body' in outcome) return readQueryList(outcome.body);
	throw new UserError(`The queries made could not be listed: ${outcome.message}`, {
		description: outcome.description ?? undefined,
	});
}

/** Lists the queries made, at most once at a time: everybody gets a list that was asked for after they asked. */
export class Listing {
	private running?: Promise<IDataObject[]>;
	private following?: Promise<IDataObject[]>;

	async read(item: Item, query: IDataObject): Promise<IDataObject[]> {
		if (!this.running) return await this.start(item, query);
		this.following ??= this.running.then(
			async () => await this.start(item, query),
			async () => await this.start(item, query),
		);
		return await this.following;
	}

	private async start(item: Item, query: IDataObject): Promise<IDataObject[]> {
		this.following = undefined;
		const reading = readHistory(item, query);
		this.running = reading;
		const end = () => {
			if (this.running === reading) this.running = undefined;
		};
		reading.then(end, end);
		return await reading;
	}
}

/** When a record was created, in milliseconds since the epoch; NaN if it does not tell. */
export const createdAt = (record: IDataObject): number => Date.parse(String(record.createdAt));

/** The newest of the records that is a query with this service and these fields, and may be taken. */
export function newest(
	records: IDataObject[],
	{ service, echo }: Wanted,
	mayTake: (record: IDataObject) => boolean,
): IDataObject | undefined {
	return records
		.filter((record) => isSame(record.service, service) && queryIdOf(record) !== undefined)
		.filter((record) => {
			const echoed = echoOf(record);
			return Object.entries(echo).every(([name, value]) => isSame(echoed[name], value));
		})
		.filter(mayTake)
		.sort((a, b) => createdAt(b) - createdAt(a))[0];
}

/** Texts without regard to case and blanks around them; a field that is missing is an empty one. */
function isSame(a: unknown, b: unknown): boolean {
	const textOf = (value: unknown) =>
		typeof value === 'object' && value !== null
			? JSON.stringify(value)
			: String(value ?? '')
					.trim()
					.toUpperCase();
	return textOf(a) === textOf(b);
}
