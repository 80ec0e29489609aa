import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	readManifest,
	PACKAGE_ROOTS,
	findPlaceholdersInRepository,
} from '../../../release/readManifestsAndFindPlaceholders';

const root = join(__dirname, '..', '..', '..');

describe('the two packages', () => {
	const [own, sandbox] = PACKAGE_ROOTS.map((folder) => readManifest(join(root, folder)));

	it('have one version, author and repository', () => {
		expect({ ...sandbox, name: own.name }).toMatchObject({
			name: own.name,
			version: own.version,
			author: own.author,
			repository: { url: own.repository.url },
		});
	});

	it('run on the same Node', () => {
		const engines = PACKAGE_ROOTS.map(
			(folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).engines,
		);
		expect(engines[1]).toEqual(engines[0]);
	});
});

describe('what a maintainer must set before a release', () => {
	let folder: string;
	const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
	const commit = (files: Record<string, string>) => {
		for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
		git('add', '.');
	};

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'credit-profile-test-'));
		git('init', '--quiet');
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	it('names each placeholder with the files that hold it', () => {
		commit({
			'package.json': '{"author":"n8n-nodes-credit-profile maintainers"}',
			'SECURITY.md': 'Write to maintainers@n8n-nodes-credit-profile.dev',
			'README.md': 'github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile/issues',
		});
		expect(findPlaceholdersInRepository(folder)).toEqual([
			'author: replace "n8n-nodes-credit-profile maintainers" in package.json',
			'e-mail address: replace "maintainers@n8n-nodes-credit-profile.dev" in SECURITY.md',
			'repository: replace "github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile" in README.md',
		]);
	});

	it('is nothing once all are replaced', () => {
		commit({
			'package.json':
				'{"author":"A maintainer","url":"github.com/example/n8n-nodes-credit-profile"}',
		});
		expect(findPlaceholdersInRepository(folder)).toEqual([]);
	});
});
