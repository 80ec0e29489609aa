import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');

describe('docs/architecture.md', () => {
	it('shows the rooms and arrows of the code as it is', () => {
		const { status, stderr } = spawnSync(
			process.execPath,
			['--import', 'tsx', join(root, 'test/docs/architecture.ts'), '--check'],
			{ cwd: root, encoding: 'utf8' },
		);
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	});
});
