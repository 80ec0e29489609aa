import { join } from 'node:path';
import { npmCommand } from '../../../demo/npmCommand';
import { missingStoresText } from '../../../demo/queueModeStores';
import { chromiumPaths } from '../../e2e/support/findChromium';

describe('npm is started without a shell', () => {
	const node = join('/Program Files', 'nodejs', 'node');
	const beside = join('/Program Files', 'nodejs', 'node_modules', 'npm', 'bin', 'npm-cli.js');
	const args = ['pack', '--pack-destination', 'C:\\Users\\Ana María\\Temp'];

	it('as the npm that runs this', () => {
		const env = { npm_execpath: join('/opt', 'npm-cli.js') };
		expect(npmCommand(args, { env, execPath: node }, () => true)).toEqual([
			node,
			[env.npm_execpath, ...args],
		]);
	});

	it('as the one beside Node where another package manager runs this', () => {
		const env = { npm_execpath: join('/opt', 'pnpm.cjs') };
		expect(npmCommand(args, { env, execPath: node }, (path) => path === beside)).toEqual([
			node,
			[beside, ...args],
		]);
	});

	it('as the one in lib, where Unix has it', () => {
		const [, [program]] = npmCommand(args, { env: {}, execPath: '/usr/bin/node' }, (path) =>
			path.includes('lib'),
		);
		expect(program).toBe(join('/usr', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'));
	});

	it('by its name where none of them is there', () => {
		expect(npmCommand(args, { env: {}, execPath: node }, () => false)).toEqual(['npm', args]);
	});
});

describe('the search for Chromium', () => {
	it.each([
		['linux', {}, '/usr/bin/chromium'],
		['darwin', {}, '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
		[
			'win32',
			{ PROGRAMFILES: 'C:\\Program Files' },
			'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
		],
	] as const)('on %s where that system has it', (platform, env, path) => {
		expect(chromiumPaths(platform, env)).toContain(path);
	});

	it('first where CHROMIUM_PATH says', () => {
		expect(chromiumPaths('linux', { CHROMIUM_PATH: '/opt/chromium' })[0]).toBe('/opt/chromium');
	});
});

describe('what is missing is named, with the way to get it', () => {
	it.each([
		['Redis and PostgreSQL, which are', {}],
		['Redis, which is', { postgres: '/usr/lib/postgresql/15/bin' }],
		['PostgreSQL, which is', { redis: '/usr/bin/redis-server' }],
	])('%s not installed', (missing, programs) => {
		expect(missingStoresText(programs)).toMatch(
			new RegExp(`needs ${missing} not installed here.*apt-get install redis-server postgresql`),
		);
	});

	it('nothing, where both are here', () => {
		expect(
			missingStoresText({ redis: '/usr/bin/redis-server', postgres: '/opt/bin' }),
		).toBeUndefined();
	});
});
