import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const root = join(__dirname, '..', '..', '..');

describe('npm run bench', () => {
	const bench = (...args: string[]) =>
		spawnSync(process.execPath, ['--import', 'tsx', join(root, 'bench', 'cli.ts'), ...args], {
			cwd: root,
			encoding: 'utf8',
		});

	it.each([['--rounds', 'abc'], ['--rounds', '0'], ['--count', '1.5'], ['--part'], ['nothing']])(
		'refuses %s %s',
		(...args) => {
			const { status, stderr } = bench(...args);
			expect([status, stderr.trim().split('\n').length]).toEqual([2, 1]);
		},
	);

	it('explains its settings', () => {
		expect(bench('--help')).toMatchObject({
			status: 0,
			stdout: expect.stringContaining('--rounds'),
		});
	});
});

/** An npm that ends once a second one has begun beside it. */
const NPM = `#!/bin/sh
touch "$BEGUN/$$"
while [ "$(ls "$BEGUN" | wc -l)" -lt 2 ]; do sleep 0.05; done
mkdir -p node_modules && touch node_modules/.package-lock.json
`;

(process.platform === 'win32' ? it.skip : it)('folders are installed side by side', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'credit-profile-install-'));
	for (const name of ['bin', 'begun', 'one', 'two']) mkdirSync(join(folder, name));
	writeFileSync(join(folder, 'bin', 'npm'), NPM);
	chmodSync(join(folder, 'bin', 'npm'), 0o755);
	const child = spawn(process.execPath, [join(root, 'scripts', 'install.mjs'), 'one', 'two'], {
		cwd: folder,
		env: {
			...process.env,
			BEGUN: join(folder, 'begun'),
			PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
		},
		stdio: 'ignore',
	});
	const [code] = (await once(child, 'exit')) as [number];
	rmSync(folder, { recursive: true });
	expect(code).toBe(0);
});
