import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import { startSandbox } from '../../../sandbox';
import { help, parseFlags } from '../../../sandbox/flags';

/** The flags that the page about the sandbox shows, with their values; the demo sets the others itself. */
const page = readFileSync(join(__dirname, '../../../docs/sandbox.md'), 'utf8');
const documented = new Set(
	[...page.matchAll(/(--[a-z][\w-]+)(?: [^\s`#-][^\s`]*)?/g)]
		.filter(([, flag]) => help.includes(`  ${flag}`))
		.filter(([, flag]) => !['--help', '--json', '--port'].includes(flag))
		.map(([flagAndValue]) => flagAndValue),
);

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'credit-profile-flags-'));
	writeFileSync(join(folder, 'names.json'), '{"creditProfile":{"paths":{"bureau":"agency"}}}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('docs/sandbox.md shows more than ten flags', () => expect(documented.size).toBeGreaterThan(10));

it.each([...documented])('a sandbox with %s responds as docs/sandbox.md says', async (shown) => {
	const [flag, value] = shown.split(' ');
	const file = value?.endsWith('.json') ? join(folder, value) : value;
	const { options } = parseFlags(file === undefined ? [flag] : [flag, file]);
	const { creditProfile, taxQuery, close } = await startSandbox({ ...options, port: 0 });
	const statusOf = async (url: string, headers = {}) =>
		(await axios.get(url, { headers, proxy: false, validateStatus: () => true })).status;
	const Authorization = `Token ${creditProfile.token}`;
	const logins = await statusOf(`${creditProfile.baseUrl}/api/v1/credential`, { Authorization });
	const withoutToken = await statusOf(`${taxQuery.baseUrl}/query`);
	await close();
	expect([logins, withoutToken]).toEqual([200, 401]);
});
