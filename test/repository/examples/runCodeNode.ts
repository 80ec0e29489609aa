import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { DateTime } from 'luxon';
import type { INode } from 'n8n-workflow';

type Json = Record<string, unknown>;
export interface CodeItem {
	json: Json;
	error?: unknown;
}

const examples = join(__dirname, '..', '..', '..', 'examples');

export const readWorkflow = (file: string) =>
	JSON.parse(readFileSync(join(examples, `${file}.json`), 'utf8')) as {
		nodes: INode[];
		connections: Record<string, { main: Array<Array<{ node: string }>> }>;
		settings: Json;
	};

/** The JavaScript of a Code node of an example. */
export function codeOf(file: string, node: string): string {
	const found = readWorkflow(file).nodes.find(({ name }) => name === node);
	if (!found) throw new Error(`${file} has no node ${node}`);
	return String(found.parameters.jsCode);
}

/** The settings of the example Lender. */
export const LENDER = Object.fromEntries(
	(
		readWorkflow('lender').nodes.find(({ name }) => name === 'Lender')?.parameters.assignments as {
			assignments: Array<{ name: string; value: string | number | boolean }>;
		}
	).assignments.map(({ name, value }) => [name, value]),
);

/** A Code node reads the items of other nodes by name, and the time. */
interface Surroundings {
	nodes?: Record<string, Json[]>;
	now?: string;
}

export const NOW = '2026-11-20T12:00:00.000-06:00';

/** Runs a Code node as n8n does, on these items. A node that is not among `nodes` was not executed. */
export function runExampleCodeNode(
	file: string,
	node: string,
	input: Array<Json | CodeItem>,
	{ nodes = {}, now = NOW }: Surroundings = {},
): Json[] {
	const items = input.map((one): CodeItem => ('json' in one ? (one as CodeItem) : { json: one }));
	const ofNode = (name: string) => {
		const all = (nodes[name] ?? []).map((json) => ({ json }));
		return {
			all: () => all,
			first: () => all[0],
			item: all[0],
			isExecuted: name in nodes,
		};
	};
	const run = (item?: CodeItem): CodeItem | CodeItem[] =>
		runInNewContext(`(() => {${codeOf(file, node)}\n})()`, {
			DateTime,
			$now: DateTime.fromISO(now),
			$execution: { id: '7', resumeUrl: 'https://n8n.example/webhook-waiting/7' },
			$json: item?.json,
			$input: { item, all: () => items, first: () => items[0] },
			$: ofNode,
		}) as CodeItem | CodeItem[];
	const isEach = readWorkflow(file).nodes.some(
		({ name, parameters }) => name === node && parameters.mode === 'runOnceForEachItem',
	);
	const results = isEach ? items.map((item) => run(item)) : [run()];
	// Objects of the other context are compared by their contents.
	return (JSON.parse(JSON.stringify(results.flat())) as CodeItem[]).map(({ json }) => json);
}
