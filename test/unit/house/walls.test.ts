import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..', '..', '..');
const cruiser = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');

/** Imports that must be refused: the rule, the file (for circles between rooms the room), what stands in it. */
const REFUSED = [
	['no-circle', 'sandbox/aCircle.ts', "import type { B } from './b';"],
	['no-room-circle', 'nodes/TaxQuery/fields', "import { b } from '../paidQuery/b';"],
	['no-room-circle', 'nodes/TaxQuery/paidQuery', "import { b } from '../fields/b';"],
	['family', 'nodes/TaxQuery/service/a.ts', "import { b } from '../../CreditProfile/b';"],
	['family', 'nodes/CreditProfile/a.ts', "import type { B } from '../TaxQuery/webhook/b';"],
	['shared', 'nodes/shared/utils/a.ts', "import type { B } from '../../TaxQuery/webhook/b';"],
	['nodes', 'nodes/CreditProfile/b1.ts', "import { b } from '../../sandbox/b';"],
	['nodes', 'nodes/CreditProfile/b2.ts', "import type { B } from '../../sandbox/b';"],
	['credentials', 'credentials/a.ts', "import { b } from '../nodes/shared/transport/b';"],
	['credentials', 'credentials/b1.ts', "import type { B } from '../nodes/TaxQuery/webhook/b';"],
	['contract-as-types', 'nodes/CreditProfile/c.ts', "import { b } from '../../contract/b';"],
	['published', 'nodes/CreditProfile/d.ts', "import { promises } from 'node:fs';"],
	['published', 'credentials/e.ts', "import axios from 'axios';"],
	['published', 'nodes/CreditProfile/f.ts', "import { b } from 'nowhere-to-be-found';"],
	['contract', 'contract/a.ts', "import { b } from '../sandbox/b';"],
	['sandbox', 'sandbox/a.ts', "import type { B } from '../nodes/TaxQuery/webhook/b';"],
	['demo', 'demo/a.ts', "import { b } from '../sandbox/b';"],
	['demo', 'demo/c.ts', "import type { B } from '../contract/b';"],
] as const;

const ALLOWED = [
	['nodes/TaxQuery/webhook/g.ts', "import { b } from '../../shared/transport/b';"],
	['nodes/TaxQuery/g.ts', "import { b } from './webhook/b';"],
	['nodes/CreditProfile/g.ts', "import type { B } from '../../contract/b';"],
	['nodes/CreditProfile/h.ts', "import { NodeApiError } from 'n8n-workflow';"],
	['nodes/CreditProfile/i.ts', "import { DateTime } from 'luxon';"],
	['nodes/CreditProfile/j.ts', "import { createHmac } from 'node:crypto';"],
	['credentials/g.ts', "import { b } from '../nodes/shared/credentials/b';"],
	['sandbox/g.ts', "import { b } from '../contract/b';"],
	['test/unit/g.ts', "import { b } from '../../nodes/TaxQuery/webhook/b';"],
] as const;

const ROOMS = [
	'contract',
	'credentials',
	'demo',
	'nodes/CreditProfile',
	'nodes/TaxQuery/fields',
	'nodes/TaxQuery/paidQuery',
	'nodes/TaxQuery/webhook',
	'nodes/shared/credentials',
	'nodes/shared/transport',
	'sandbox',
	'test',
];

/** What every room holds. The one of the sandbox closes a circle of two files. */
const b = (room: string) =>
	`${room === 'sandbox' ? "import type { A } from './aCircle';" : ''} export type B = string; export const b = 1;`;

/** Builds a house of these files in the folder. Returns the rules that each of its files or rooms breaks. */
function rulesBroken(folder: string, files: Array<readonly [string, string]>) {
	for (const [path, text] of files) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) {
		copyFileSync(join(root, name), join(folder, name));
	}
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
	const houses = [...new Set(ROOMS.map((room) => room.split('/')[0]))];
	const { stdout, stderr } = spawnSync(
		process.execPath,
		[cruiser, ...houses, '--output-type', 'json'],
		{ cwd: folder, encoding: 'utf8' },
	);
	if (!stdout) throw new Error(stderr);
	const { summary } = JSON.parse(stdout) as {
		summary: { violations: Array<{ from: string; rule: { name: string } }> };
	};
	return (path: string) =>
		summary.violations.filter(({ from }) => from === path).map(({ rule }) => rule.name);
}

describe('the walls of the house', () => {
	let folder: string;
	let broken: (path: string) => string[];

	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), 'house-'));
		broken = rulesBroken(folder, [
			...ROOMS.map((room) => [`${room}/b.ts`, b(room)] as const),
			...REFUSED.map(
				([, path, text]) =>
					[path.endsWith('.ts') ? path : `${path}/a.ts`, `${text} export type A = B;`] as const,
			),
			...ALLOWED,
		]);
	});

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it.each(REFUSED)('%s: %s must not say %s', (rule, path) => {
		expect(broken(path)).toEqual([rule]);
	});

	it.each(ALLOWED)('%s may say %s', (path) => {
		expect(broken(path)).toEqual([]);
	});

	it('are each proven above', async () => {
		const { forbidden } = (await import(join(root, '.dependency-cruiser.cjs'))) as {
			forbidden: Array<{ name: string }>;
		};
		expect(new Set(REFUSED.map(([rule]) => rule))).toEqual(
			new Set(forbidden.map(({ name }) => name)),
		);
	});
});
