import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

const root = join(__dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'credit-profile-release-'));
const clone = join(folder, 'clone');
const summary = join(folder, 'summary.md');

/** Where npm runs this test, it hands its own settings on, such as --silent. */
const settingsOfNpm = Object.keys(process.env).filter((name) => /^npm_config_/i.test(name));

/** Nothing of it can reach a registry. */
const env = {
	...process.env,
	...Object.fromEntries(settingsOfNpm.map((name) => [name, undefined])),
	NODE_ENV: undefined,
	GITHUB_STEP_SUMMARY: summary,
	GITHUB_WORKSPACE: clone,
	RUNNER_TEMP: folder,
	npm_config_registry: 'http://127.0.0.1:9',
	npm_config_fetch_retries: '0',
};
const run = (command: string, args: string[], more = {}) =>
	execFileSync(command, args, {
		cwd: clone,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...env, ...more },
	});
const git = (...args: string[]) => run('git', args);
const read = (name: string) => readFileSync(join(clone, name), 'utf8');
const edit = (name: string, change: (text: string) => string) =>
	writeFileSync(join(clone, name), change(read(name)));

/** Makes the release of a version that began with a change in the changelog. */
function release(change: string, wanted: string[]): string {
	edit('CHANGELOG.md', (text) => text.replace('## [Unreleased]\n', `$&\n- ${change}\n`));
	git('commit', '--quiet', '--all', '--message', change);
	run('npm', ['run', 'release', '--', ...wanted]);
	return git('describe', '--exact-match').trim();
}

/** Runs what the publishing job runs on a tag, but for the installation; npm publishes nothing. */
function publish(tag: string): string {
	const { jobs } = parse(read('.github/workflows/publish.yml')) as {
		jobs: { publish: { steps: Array<{ run?: string }> } };
	};
	const commands = jobs.publish.steps
		.flatMap(({ run: command }) => command ?? [])
		.filter((command) => !command.startsWith('npm ci'));
	git('checkout', '--quiet', tag);
	const dry = { GITHUB_REF_NAME: tag, npm_config_dry_run: 'true' };
	const output = commands.map((command) =>
		run('bash', ['-e', '-o', 'pipefail', '-c', command], dry),
	);
	git('checkout', '--quiet', '--force', '-');
	return output.join('\n');
}

beforeAll(() => {
	execFileSync('git', ['clone', '--quiet', root, clone]);
	symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'), 'junction');
	git('config', 'user.name', 'Somebody');
	git('config', 'user.email', 'somebody@example.com');
	git('checkout', '--quiet', '-B', 'main');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a release, rehearsed in a clone', () => {
	it('is refused while a placeholder stands for the maintainer', () => {
		expect(() => run('npm', ['run', 'release', '--', 'minor'])).toThrow('e-mail address: replace');
		expect(git('status', '--porcelain')).toBe('');
	});

	it('is tagged and published, and so is the next one', () => {
		const files = git('grep', '-lE', 'n8n-nodes-credit-profile( maintainers|\\.dev|/)').trim();
		for (const file of files.split('\n')) {
			edit(file, (text) =>
				text
					.replaceAll('n8n-nodes-credit-profile maintainers', 'A maintainer')
					.replaceAll('@n8n-nodes-credit-profile.dev', '@example.com')
					.replaceAll('@n8n-nodes-credit-profile/', '@example/')
					.replaceAll('github.com/n8n-nodes-credit-profile/', 'github.com/example/'),
			);
		}
		const { version } = JSON.parse(read('package.json')) as { version: string };
		const tags: string[] = [];
		for (const wanted of [[version, '--allow-same-version'], ['minor']]) {
			const tag = release(`A change for ${wanted[0]}.`, wanted);
			tags.push(tag);
			const printed = publish(tag);
			const released = tag.slice(1);
			for (const name of ['n8n-nodes-credit-profile', 'credit-profile-sandbox']) {
				expect(printed).toContain(`+ ${name}@${released}`);
				expect(readFileSync(summary, 'utf8')).toContain(`${name}@${released}`);
			}
			expect(read('CHANGELOG.md')).toMatch(
				new RegExp(`## \\[Unreleased\\]\\n\\n## \\[${released}\\] - [\\d-]+\\n\\n- A change for`),
			);
			expect(git('status', '--porcelain')).toBe('');
		}
		expect(tags[1]).not.toBe(tags[0]);
	});

	it('is refused without a note in the changelog', () => {
		expect(() => run('npm', ['run', 'release', '--', 'minor'])).toThrow('CHANGELOG.md: add');
	});
});
