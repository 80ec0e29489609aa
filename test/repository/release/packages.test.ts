import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPlaceholders } from '../../../release/placeholders';
import * as own from '../../../package.json';
import * as sandbox from '../../../sandbox/package.json';

it('both packages name one author, repository and Node', () => {
	expect([sandbox.author, sandbox.repository.url, sandbox.engines]).toEqual([
		own.author,
		own.repository.url,
		own.engines,
	]);
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
		expect(findPlaceholders(folder)).toEqual([
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
		expect(findPlaceholders(folder)).toEqual([]);
	});
});
