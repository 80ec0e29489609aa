import { noticeField } from './fields';
import type { Item, Operation, Run } from './operation';

const ONCE = "'Execute Once' in Settings";

/** Returns an operation that reads a list: the panel and a hint say that n8n runs it once for each input item. */
export function readsList(operation: Operation): Operation {
	const [notice] = noticeField(
		'listNotice',
		`Runs once for each input item. To run it once, switch on ${ONCE}.`,
	).properties;
	const names = operation.fields.map(({ name }) => name);
	return {
		...operation,
		// an agent's tool has one item
		fields: [{ ...notice, displayOptions: { hide: { '@tool': [true] } } }, ...operation.fields],
		async execute(item) {
			const readings = item.run.shared(newReadings);
			if (readings.mayBeTheSame()) readings.note(operation, await identify(item, names));
			return await operation.execute(item);
		},
	};
}

/** Returns what the item reads, and by which account; the fields of the panel as they were resolved for it. */
async function identify(item: Item, names: string[]): Promise<string> {
	const { clientKey } = await item.connection();
	return JSON.stringify([clientKey, item.options, ...names.map((name) => valueOf(item, name))]);
}

/** A field that is not shown has no value. */
function valueOf(item: Item, name: string): unknown {
	try {
		return item.parameter(name);
	} catch {
		return undefined;
	}
}

/** Counts the readings of a run. If several items have read the same list, the run ends with one hint. */
function newReadings(run: Run) {
	const different = new Set<string>();
	let count = 0;
	let action = '';
	run.atEnd(() => {
		if (count < 2 || different.size > 1) return;
		run.hint(
			`${action} ran once for each of ${count} items, with the same fields. To run it once, switch on ${ONCE}.`,
		);
	});
	return {
		mayBeTheSame: () => different.size < 2,
		note(operation: Operation, reading: string) {
			different.add(reading);
			count++;
			action = `'${operation.action}'`;
		},
	};
}
