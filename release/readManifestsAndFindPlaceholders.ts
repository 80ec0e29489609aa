/** The two packages of this repository: their manifests, and what stands in it until a maintainer has set it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
	name: string;
	version: string;
	author: { name: string; email: string };
	repository: { url: string };
}

/** Their folders. */
export const PACKAGE_ROOTS = ['.', 'sandbox'];

export const readManifest = (folder: string) =>
	JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const NAME = 'n8n-nodes-credit-profile';
/** Each stands for something that only the maintainer knows. */
const PLACEHOLDERS = {
	author: `${NAME} maintainers`,
	'e-mail address': `maintainers@${NAME}.dev`,
	repository: `github.com/${NAME}/${NAME}`,
	'code owners': `@${NAME}/maintainers`,
};

/** Returns what a maintainer must still set: one line for each placeholder, with the committed files that hold it. */
export function findPlaceholdersInRepository(root: string): string[] {
	return Object.entries(PLACEHOLDERS).flatMap(([what, text]) => {
		const { stdout } = spawnSync(
			'git',
			['grep', '-lF', '--cached', text, '--', ':!test', ':!release'],
			{ cwd: root, encoding: 'utf8' },
		);
		const files = stdout.trim().split('\n').filter(Boolean);
		return files.length === 0 ? [] : [`${what}: replace "${text}" in ${files.join(', ')}`];
	});
}
