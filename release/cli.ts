// npm run release [-- major|minor|patch|1.2.3] [--dry-run]: makes the release of both packages in a clone of this
// repository. Its steps are version, changelog, build, scan, pack and install. Unless it is a dry run, it commits and
// tags the same here. Pushing the tag publishes them: .github/workflows/publish.yml. npm run release -- --ready: ends
// with 1 while a placeholder stands for the maintainer's name.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { npmCommand } from '../demo/npmCommand';
import {
	resolveRequestedVersion,
	extractUnreleasedNotes,
	moveUnreleasedUnderVersion,
} from './rewriteChangelogAndNextVersion';
import {
	readManifest,
	PACKAGE_ROOTS,
	findPlaceholdersInRepository,
} from './readManifestsAndFindPlaceholders';

const root = join(__dirname, '..');

const run = (command: string, args: string[], cwd = root) =>
	execFileSync(command, args, {
		cwd,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'inherit'],
	}).trim();
const step = (what: string) => console.log(`\n== ${what}`);

/** Returns the version to release: the given one, or that of package.json if it is not released yet. */
function versionFor(wanted: string | undefined): string {
	const { version } = readManifest(root);
	if (wanted) return resolveRequestedVersion(version, wanted);
	if (run('git', ['tag', '--list', `v${version}`]) === '') return version;
	throw new Error(`${version} is released already: npm run release -- major, minor or patch.`);
}

/** Writes versions and changelog in a folder; returns the files written. */
function write(folder: string, version: string): string[] {
	const files = ['package.json', 'package-lock.json', 'sandbox/package.json', 'CHANGELOG.md'];
	const args = ['version', version, '--no-git-tag-version', '--allow-same-version'];
	for (const one of PACKAGE_ROOTS) run(...npmCommand(args), join(folder, one));
	const changelog = join(folder, 'CHANGELOG.md');
	const date = new Date().toISOString().slice(0, 10);
	writeFileSync(
		changelog,
		moveUnreleasedUnderVersion(readFileSync(changelog, 'utf8'), version, date),
	);
	return files;
}

/** Packs a package; returns the archive's path. */
function pack(folder: string, destination: string): string {
	const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
	const [{ filename }] = JSON.parse(run(...npmCommand(args), folder)) as Array<{
		filename: string;
	}>;
	return join(destination, filename);
}

/** Installs the archive as README says, where n8n has left its package.json, and sees to it that one package comes. */
function tryInstall(archive: string): void {
	const nodes = mkdtempSync(join(tmpdir(), 'nodes-'));
	writeFileSync(join(nodes, 'package.json'), '{"name":"installed-nodes","private":true}');
	const args = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	run(...npmCommand([...args, archive]), nodes);
	const folders = readdirSync(join(nodes, 'node_modules'));
	const installed = folders.filter((name) => !name.startsWith('.')).length;
	rmSync(nodes, { recursive: true, force: true });
	if (installed !== 1) throw new Error(`Installing brings ${installed} packages, not 1.`);
	console.log(`installs: ${basename(archive)}: ${installed} package`);
}

/** Returns what a maintainer sets once, outside of this repository. */
function toBeSet(version: string): string {
	const { name, author, repository } = readManifest(root);
	const names = PACKAGE_ROOTS.map((folder) => readManifest(join(root, folder)).name);
	const url = repository.url.replace(/^git\+|\.git$/g, '');
	return `
Set once by a maintainer:
- the repository ${url} exists, is public, and package.json names it under repository, homepage and bugs;
- the e-mail ${author.email} (package.json, SECURITY.md, CODE_OF_CONDUCT.md) is read by somebody;
- npm: the names ${names.join(' and ')} are yours, with two-factor authentication. npm takes a trusted publisher only
  for a package that exists, so take the names by hand, in a clone of its own, there and in its folder sandbox:
    npm ci && npm run build
    npm version 0.0.1 --no-git-tag-version && npm publish --access public
  then name this repository, the workflow publish.yml and the environment "npm" as trusted publisher in each package's
  settings (no token is stored anywhere), and after the first release:
${names.map((one) => `    npm deprecate ${one}@0.0.1 "a placeholder"`).join('\n')}
- GitHub: an environment called "npm", with the people who may approve a release; private vulnerability reporting is on;
- n8n: after the first release, submit ${name} for verification (docs/maintainers/verification.md).

Each release: npm run release, then git push --follow-tags. The tag v${version} starts publish.yml: tests, then npm publish of
both packages, with provenance.`;
}

function main(): void {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			'dry-run': { type: 'boolean', default: false },
			ready: { type: 'boolean', default: false },
		},
	});
	const isDry = values['dry-run'];
	const placeholders = findPlaceholdersInRepository(root);
	const toSet = `Placeholders stand for the maintainer:\n- ${placeholders.join('\n- ')}`;
	if (placeholders.length > 0 && !isDry) throw new Error(`${toSet}\nSet them before a release.`);
	if (values.ready) return;
	const version = versionFor(positionals[0]);
	const changes = run('git', ['status', '--porcelain', '--untracked-files=no']);
	if (changes && !isDry) throw new Error(`Commit first:\n${changes}`);
	if (changes) console.log('What is not committed is not part of the release.');

	const folder = join(root, '.test-output', 'release'); // where the clone finds this repository's packages
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	try {
		const clone = join(folder, 'clone');
		run('git', ['clone', '--quiet', root, clone]);

		step(`version ${version}`);
		const notes = extractUnreleasedNotes(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8'));
		const files = write(clone, version);
		console.log(notes);
		step('build');
		run(
			process.execPath,
			[join(root, 'node_modules', 'gulp', 'bin', 'gulp.js'), '--silent', 'build'],
			clone,
		);
		run(process.execPath, ['--import', 'tsx', join(clone, 'release', 'bundleSandbox.ts')], clone);
		step('package');
		const check = join(clone, 'scripts', 'package', 'check.ts');
		console.log(run(process.execPath, ['--import', 'tsx', check], clone));
		step('install');
		for (const one of PACKAGE_ROOTS) tryInstall(pack(join(clone, one), folder));

		if (isDry) {
			step('dry run: nothing was changed here, nothing was published');
			console.log(
				`Without --dry-run: ${files.join(', ')} are committed here, and the commit is tagged v${version}.`,
			);
		} else {
			step('commit and tag');
			run('git', ['add', ...write(root, version)]);
			run('git', ['commit', '--quiet', '--message', `chore: release ${version}`]);
			run('git', ['tag', '--annotate', `v${version}`, '--message', notes]);
		}
		if (placeholders.length > 0)
			console.log(`\n${toSet}\nWithout --dry-run, they stop the release.`);
		console.log(toBeSet(version));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

try {
	main();
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
}
