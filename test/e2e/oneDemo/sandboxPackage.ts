import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import { Processes } from '../../../demo/processes';
import {
	startSandboxAndGetAccess,
	type SandboxAccess,
	type SandboxCommand,
} from '../../../demo/sandbox';
import { help } from '../../../sandbox/flags';
import { describeIfChromium } from '../support/describeIfChromium';
import { openEditorOncePerFile } from '../support/sharedDemo';
import { runCommand, installSandboxPackageOnce } from '../support/sandboxPackage';

describe('the package of the sandbox, installed in an empty folder', () => {
	let folder: string;
	let program: SandboxCommand;
	let byNpx: SandboxCommand;
	const processes = new Processes();

	beforeAll(async () => {
		({ folder, program, byNpx } = await installSandboxPackageOnce());
	});

	afterAll(async () => await processes.stop());

	it('brings no other package', () => {
		const installed = readdirSync(join(folder, 'node_modules'));
		expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['credit-profile-sandbox']);
	});

	it('explains every flag of the sandbox', () => {
		const { command, args, cwd } = program;
		expect(runCommand(command, [...args, '--help'], cwd)).toBe(
			help.replace('npm run sandbox --', 'npx credit-profile-sandbox'),
		);
	});

	it('starts by npx, and both services answer', async () => {
		const { creditProfile, taxQuery } = await startSandboxAndGetAccess(processes, byNpx);
		const logins = await fetchUnpooled(`${creditProfile.baseUrl}/api/v1/credential`, {
			headers: { authorization: `Token ${creditProfile.token}` },
		});
		const token = await fetchUnpooled(`${taxQuery.baseUrl}/oauth/token`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({
				client_id: taxQuery.clientId,
				client_secret: taxQuery.clientSecret,
			}),
		});
		const { access_token } = (await token.json()) as { access_token: string };
		const query = await fetchUnpooled(`${taxQuery.baseUrl}/query/curp-data`, {
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
			'--query-list': 'summary',
			'--list-order': 'none',
			'--record': 'no-response',
			'--token-shape': 'camel',
			'--token-expires-in': 'text',
			'--webhook-signing': 'standard',
		};
		const all = [...help.matchAll(/^ {2}(--[\w-]+)( <)?/gm)]
			.filter(([, name]) => !['--help', '--json', '--port'].includes(name))
			.flatMap(([, name, takesValue]) => (takesValue ? [name, values[name] ?? '5'] : [name]));
		expect(all.length).toBeGreaterThan(40);
		const { page } = await startSandboxAndGetAccess(processes, program, all);
		expect((await fetchUnpooled(page)).status).toBe(200);
	});

	describeIfChromium('its page', () => {
		it.each(['', 'docs/'])('"/%s" has no error in a browser', async (path) => {
			const sandbox: SandboxAccess = await startSandboxAndGetAccess(processes, program);
			const page = await (await openEditorOncePerFile()).page.context().newPage();
			const problems: string[] = [];
			page.on('pageerror', ({ message }) => problems.push(message));
			page.on(
				'console',
				(shownMessage) => shownMessage.type() === 'error' && problems.push(shownMessage.text()),
			);
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
			await page.close();
			expect(problems).toEqual([]);
		});
	});
});
