import { spawnSync } from 'node:child_process';

const NAME = 'n8n-nodes-credit-profile';
/** Each stands for something that only the maintainer knows. */
const PLACEHOLDERS = {
	author: `${NAME} maintainers`,
	'e-mail address': `maintainers@${NAME}.dev`,
	repository: `github.com/${NAME}/${NAME}`,
	'code owners': `@${NAME}/maintainers`,
};

/** Each placeholder has one line, with the tracked files that hold it. */
export function findPlaceholders(root: string): string[] {
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
