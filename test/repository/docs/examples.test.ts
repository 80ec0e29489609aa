import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { IConnections, IDataObject, INode } from 'n8n-workflow';
import { readTaxQueryApiMapping } from '../../../nodes/shared/credentials/apiMapping';
import { parseRecord } from '../../../nodes/TaxQuery/client/record';
import type { QueryRecord } from '../../../nodes/TaxQuery/client/model';
import { simplifyRecordToRow } from '../../../nodes/TaxQuery/output/simplify';

const root = join(__dirname, '..', '..', '..');
const files = readdirSync(join(root, 'examples'));
const read = (file: string) =>
	JSON.parse(readFileSync(join(root, 'examples', file), 'utf8')) as {
		nodes: INode[];
		connections: IConnections;
	};

const record = (service: string, status: string, response: object) => {
	const mapping = readTaxQueryApiMapping({});
	const raw = { _id: 'q1', service, status, query: { rfc: 'EISE850314BK8' }, response };
	return simplifyRecordToRow(parseRecord(raw, mapping) as QueryRecord, mapping);
};
const regimes = { RFC: 'EISE850314BK8', RazonSocial: 'ELENA', RegimenesFiscales: [{}] };

const evaluate = (expression: unknown, $json: IDataObject): unknown =>
	runInNewContext(String(expression).replace(/^=\{\{|\}\}$/g, ''), { $json });

interface Rule {
	leftValue: string;
	rightValue: unknown;
	operator: { type: string };
}
interface Rules {
	conditions: Rule[];
}

/** It is the last node of its way through IF and Switch. */
function endOf(file: string, $json: IDataObject): string {
	const { nodes, connections } = read(file);
	const holds = ({ conditions: [{ leftValue, rightValue, operator }] }: Rules) =>
		evaluate(leftValue, $json) === (operator.type === 'boolean' ? true : rightValue);
	for (let name = 'Tax Query Trigger'; ;) {
		const { parameters, type } = nodes.find((one) => one.name === name) as INode;
		let output = 0;
		if (type.endsWith('.if')) output = holds(parameters.conditions as never) ? 0 : 1;
		if (type.endsWith('.switch')) {
			const rules = (parameters.rules as unknown as { values: Array<{ conditions: Rules }> })
				.values;
			const found = rules.findIndex(({ conditions }) => holds(conditions));
			output = found < 0 ? rules.length : found;
		}
		const next = connections[name]?.main[output]?.[0];
		if (!next) return name;
		name = next.node;
	}
}

describe('the examples that take results', () => {
	const ways: Array<[service: string, status: string, response: object, end: string]> = [
		['CRF', 'SUCCESS', regimes, 'Fiscal regimes'],
		['crf', 'SUCCESS', regimes, 'Fiscal regimes'],
		['RFC', 'SUCCESS', regimes, 'RFC data'],
		['SHAREHOLDERS', 'SUCCESS', { socios: [{}] }, 'Other result'],
		['CRF', 'FAILED', { message: 'No taxpayer' }, 'To be looked at'],
		['CRF', 'WEIRD', {}, 'To be looked at'],
		['CRF', 'PENDING', {}, 'To be looked at'],
	]; // prettier-ignore
	it.each(ways)('send a %s that is %s where it belongs', (service, status, response, end) => {
		const row = record(service, status, response);
		expect(endOf('collect-query-results.json', row)).toBe(end);
	});

	it('keep the deliveryId by which a copy replaces itself', () => {
		const without = read('collect-query-results.json').nodes.filter(
			({ type, parameters }) =>
				type.endsWith('.set') && !JSON.stringify(parameters).includes('$json.deliveryId'),
		);
		expect(without).toEqual([]);
	});
});

it('every webhook of an example but those for applicants asks for authentication', () => {
	const open = files.flatMap((file) =>
		read(file)
			.nodes.filter(({ type }) => type.endsWith('.webhook') || type.endsWith('.mcpTrigger'))
			.filter(({ parameters, credentials }) => !parameters.authentication || !credentials)
			.map(({ name }) => `${file}: ${name}`),
	);
	expect(open).toEqual([
		'onboard-applicant.json: Application form',
		'withdraw-application.json: Withdrawal page',
	]);
});

describe('the notes of the examples', () => {
	const notes = files.flatMap((file) =>
		read(file).nodes.map(({ parameters }) => String(parameters.content ?? '')),
	);

	it('link to files of this repository, by whole addresses', () => {
		const links = notes.flatMap((note) => [...note.matchAll(/\]\(([^)]*)\)/g)].map(([, to]) => to));
		const main = 'https://github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile/blob/main/';
		const isThere = (to: string) =>
			to.startsWith(main) && existsSync(join(root, to.slice(main.length)));
		expect(links.filter((to) => !isThere(to))).toEqual([]);
		expect(links.length).toBeGreaterThan(files.length); // start-here links to each
	});

	it('say before the first click that queries of a real credential are billed', () => {
		const warning = "**Only with the sandbox's credential: with a real one";
		const page = readFileSync(join(root, 'docs', 'examples.md'), 'utf8');
		const start = notes.find((note) => note.includes('Start here')) ?? '';
		const before = [start, page].map((text) => text.slice(0, text.search(/Click|Execute/)));
		expect(before).toEqual([expect.stringContaining(warning), expect.stringContaining(warning)]);
	});
});

/** The newest version that n8n 1.123 knows of what the examples use; nothing: it knows none. */
const KNOWN: Record<string, number> = {
	...{ aggregate: 1, convertToFile: 1.1, form: 2.3, formTrigger: 2.3, httpRequest: 4.2, if: 2.2, manualTrigger: 1, mcpTrigger: 2 },
	...{ lmChatOpenAi: 1.3, merge: 3.2, respondToWebhook: 1.4, scheduleTrigger: 1.2, set: 3.4, splitOut: 1 },
	...{ stickyNote: 1, stopAndError: 1, switch: 3.3, taxQuery: 1, taxQueryTool: 1, taxQueryTrigger: 1 },
	...{ creditProfile: 1, wait: 1.1, webhook: 2.1 },
}; // prettier-ignore

it('docs/examples.md names the examples that n8n 1.123 does not run', () => {
	const newer = files.filter((file) =>
		read(file).nodes.some(
			({ type, typeVersion }) => typeVersion > (KNOWN[type.split('.').at(-1) as string] ?? 0),
		),
	);
	const page = readFileSync(join(root, 'docs', 'examples.md'), 'utf8');
	const reported = [...page.matchAll(/^\| \[([\w-]+)\].*n8n 2\.(?:20|41)/gm)].map(
		([, name]) => `${name}.json`,
	);
	expect(reported.sort()).toEqual(newer.sort());
});
