import { missingStoresText } from '../../../demo/queueModeStores';
import { chromiumPaths } from '../../e2e/support/chromium';

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
