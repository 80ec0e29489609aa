import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { SPARING } from '../../demo/n8n';
import { npm } from '../../demo/npm';
import { Processes } from '../../demo/processes';
import { startSandbox, type Sandbox, type SandboxProgram } from '../../demo/sandbox';
import { smokeTest } from '../../demo/smokeTest';
import { startDemo, type Demo } from '../../demo/demo';
import { help } from '../../sandbox/flags';
import { describeWithBrowser } from './support/browser';
import { launchBrowser } from './support/launch';

const MINUTES = 60_000;
const root = join(__dirname, '..', '..');

const run = (command: string, args: string[], cwd: string) =>
	execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

describe('the package of the sandbox, installed in an empty folder', () => {
	let folder: string;
	let program: SandboxProgram;
	/** The same by npx, which takes a second more. */
	let byNpx: SandboxProgram;
	const processes = new Processes();

	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), 'credit-profile-sandbox-'));
		run(process.execPath, ['--import', 'tsx', join(root, 'release', 'bundleSandbox.ts')], root);
		const [{ filename }] = JSON.parse(
			run(
				...npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder]),
				join(root, 'sandbox'),
			),
		) as Array<{ filename: string }>;
		writeFileSync(join(folder, 'package.json'), '{"private":true}');
		run(...npm(['install', '--offline', '--no-audit', '--no-fund', `./${filename}`]), folder);
		const bin = join(folder, 'node_modules', '.bin', 'credit-profile-sandbox');
		program = { command: bin, args: [], cwd: folder };
		const [command, args] = npm(['exec', '--offline', '--', 'credit-profile-sandbox']);
		byNpx = { command, args, cwd: folder };
	}, 2 * MINUTES);

	afterAll(async () => {
		await processes.stop();
		rmSync(folder, { recursive: true, force: true });
	});

	it('brings no other package', () => {
		const installed = readdirSync(join(folder, 'node_modules'));
		expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['credit-profile-sandbox']);
	});

	it('explains every flag of the sandbox', () => {
		const { command, args, cwd } = program;
		expect(run(command, [...args, '--help'], cwd)).toBe(
			help.replace('npm run sandbox --', 'npx credit-profile-sandbox'),
		);
	});

	it('starts by npx, and both services answer', async () => {
		const { creditProfile, taxQuery } = await startSandbox(processes, byNpx);
		const logins = await fetch(`${creditProfile.baseUrl}/api/v1/credential`, {
			headers: { authorization: `Token ${creditProfile.token}` },
		});
		const token = await fetch(`${taxQuery.baseUrl}/oauth/token`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({
				client_id: taxQuery.clientId,
				client_secret: taxQuery.clientSecret,
			}),
		});
		const { access_token } = (await token.json()) as { access_token: string };
		const query = await fetch(`${taxQuery.baseUrl}/query/curp-data`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', authorization: `Bearer ${access_token}` },
			body: JSON.stringify({ curp: 'EISE850314MDFXGL08' }),
		});
		expect([await logins.json(), await query.json()]).toMatchObject([
			[{ type: 'bureau/pf' }, {}, {}],
			{ status: 'SUCCESS', response: { curp: 'EISE850314MDFXGL08' } },
		]);
	});

	it('takes every flag, each with all the others', async () => {
		writeFileSync(join(folder, 'mapping.json'), '{"taxQuery":{"paths":{"tax":"sat"}}}');
		const values: Record<string, string> = {
			'--host': '127.0.0.1',
			'--list-shape': 'items,totalCount',
			'--record-envelope': 'data',
			'--status-words': 'success=DONE',
			'--webhook-url': 'http://127.0.0.1:9/hook',
			'--state': 'state.json',
			'--mapping': 'mapping.json',
			'--query-list': 'lean',
			'--list-order': 'none',
			'--record': 'lean',
			'--token-shape': 'camel',
			'--token-expires-in': 'text',
			'--webhook-signing': 'standard',
		};
		const all = [...help.matchAll(/^ {2}(--[\w-]+)( <)?/gm)]
			.filter(([, name]) => !['--help', '--json', '--port'].includes(name))
			.flatMap(([, name, takesValue]) => (takesValue ? [name, values[name] ?? '5'] : [name]));
		expect(all.length).toBeGreaterThan(40);
		const { page } = await startSandbox(processes, program, all);
		expect((await fetch(page)).status).toBe(200);
	});

	describeWithBrowser('its page', () => {
		it.each(['', 'docs/'])('"/%s" has no error in a browser', async (path) => {
			const sandbox: Sandbox = await startSandbox(processes, program);
			const browser = await launchBrowser();
			const page = await browser.newPage();
			const problems: string[] = [];
			page.on('pageerror', ({ message }) => problems.push(message));
			page.on('console', (said) => said.type() === 'error' && problems.push(said.text()));
			page.on('requestfailed', (request) => problems.push(request.url()));
			await page.goto(`${sandbox.page}${path}`);
			await page
				.getByText(path ? 'company-shareholders' : sandbox.creditProfile.token)
				.first()
				.waitFor();
			if (!path) {
				await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') });
				const { violations } = await page.evaluate<AxeResults>('axe.run()');
				problems.push(...violations.map(({ id }) => id));
			}
			await browser.close();
			expect(problems).toEqual([]);
		});
	});

	describe("does the demo's main job", () => {
		let demo: Demo;

		beforeAll(async () => {
			demo = await startDemo({ sandboxProgram: byNpx, settings: SPARING });
		}, 5 * MINUTES);
		afterAll(async () => await demo?.stop(), MINUTES);

		it(
			'from the form to the result that comes later',
			async () => {
				const { ok, problem, asyncResult } = await smokeTest(demo, () => {});
				expect({ ok, problem, asyncResult }).toEqual({
					ok: true,
					problem: null,
					asyncResult: expect.objectContaining({ queryId: expect.any(String) as string }) as object,
				});
			},
			2 * MINUTES,
		);
	});
});
