import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import { startSandbox } from '../../../sandbox';
import { help, readFlags } from '../../../sandbox/flags';

/** The flags that the page about the sandbox shows, with their values; the demo sets the others itself. */
const page = readFileSync(join(__dirname, '../../../docs/sandbox.md'), 'utf8');
const documented = new Set(
	[...page.matchAll(/(--[a-z][\w-]+)(?: [^\s`#-][^\s`]*)?/g)]
		.filter(([, flag]) => help.includes(`  ${flag}`))
		.filter(([, flag]) => !['--help', '--json', '--port'].includes(flag))
		.map(([flagAndValue]) => flagAndValue),
);

describe('what the page about the sandbox shows', () => {
	let folder: string;
	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), 'credit-profile-flags-'));
		writeFileSync(join(folder, 'names.json'), '{"creditProfile":{"paths":{"bureau":"agency"}}}');
	});
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it('is more than ten flags', () => expect(documented.size).toBeGreaterThan(10));

	it.each([...documented])('answers with %s', async (shown) => {
		const [flag, value] = shown.split(' ');
		const file = value?.endsWith('.json') ? join(folder, value) : value;
		const { options } = readFlags(file === undefined ? [flag] : [flag, file]);
		const sandbox = await startSandbox({ ...options, port: 0 });
		const { creditProfile, taxQuery } = sandbox;
		const headers = { authorization: `Token ${creditProfile.token}` };
		const requests = { proxy: false, validateStatus: () => true } as const;
		const logins = await axios.get(`${creditProfile.baseUrl}/api/v1/credential`, {
			...requests,
			headers,
		});
		const withoutToken = await axios.get(`${taxQuery.baseUrl}/query`, requests);
		await sandbox.close();
		expect([logins.status, withoutToken.status]).toEqual([200, 401]);
	});
});
