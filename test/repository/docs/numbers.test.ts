import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { TaxQueryApi } from '../../../credentials/TaxQueryApi.credentials';
import { TaxQuery } from '../../../nodes/TaxQuery/TaxQuery.node';
import { TaxQueryTrigger } from '../../../nodes/TaxQuery/TaxQueryTrigger.node';

const root = join(__dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const json = (path: string) => JSON.parse(read(path)) as Record<string, never>;

/** Returns the default of the field with this name, in a collection, too. */
function defaultOf(properties: INodeProperties[], name: string): unknown {
	for (const property of properties) {
		if (property.name === name) return property.default;
		const nested = property.type === 'collection' ? (property.options as INodeProperties[]) : [];
		const found = defaultOf(nested, name);
		if (found !== undefined) return found;
	}
	return undefined;
}

const defaults = {
	maxWait: Number(defaultOf(new TaxQuery().description.properties, 'maxWait')),
	checkEvery: Number(defaultOf(new TaxQueryTrigger().description.properties, 'checkEvery')),
	pointsPerSecond: Number(defaultOf(new TaxQueryApi().properties, 'pointsPerSecond')),
};
const { version, engines } = json('package.json') as unknown as {
	version: string;
	engines: { node: string };
};
const node = engines.node.replace('>=', '');
const { n8n } = json('demo/n8n-host/package.json').dependencies as Record<string, string>;
const oldest = readdirSync(join(root, 'scripts/compat/hosts'))[0];
const newest = n8n.split('.').slice(0, 2).join('.');
const [, size] = /\(([\d.]+ GB)/.exec(read('demo/cli.ts')) ?? [];
const branches = (
	json('examples/start-here.json').nodes as unknown as Array<{ type: string }>
).filter(({ type }) => type.endsWith('.taxQuery')).length;
const [, mostAsTool] =
	/MOST_AS_TOOL = (\d+)/.exec(read('nodes/TaxQuery/submission/submissionOptions.ts')) ?? [];
const words: Record<string, string> = { 5: 'Five', 10: 'ten' };

const README = 'README.md';
const GUIDE = 'docs/es/guia.md';

it.each([
	[README, 'Node', `Node ${node}`],
	[README, 'the size of the demo', `(${size}`],
	[README, 'the version', `n8n-nodes-credit-profile-${version}.tgz`],
	[README, 'the versions of n8n', `n8n ${oldest} to ${newest}`],
	[README, 'the branches of Start here', `${words[branches]} branches ask about`],
	[README, 'the wait', defaults.maxWait === 60 ? 'one minute by default' : '?'],
	[README, "an agent's queries", `may send ${words[Number(mostAsTool)]} queries per tool`],
	[GUIDE, 'Node', `Node ${node}`],
	[GUIDE, 'the size of the demo', `unos ${size}`],
	[GUIDE, 'the oldest n8n', `versión ${oldest}`],
	[GUIDE, "the trigger's interval", `cada ${defaults.checkEvery} segundos`],
	['docs/credentials.md', 'the rate limit', `${defaults.pointsPerSecond} by default`],
	['docs/faq.md', 'the oldest n8n', `The oldest is ${oldest}.`],
])('%s names %s as its source does', (page, _, text) => {
	expect(read(page)).toContain(text);
});

it('the Spanish guide and README name the same minutes of the first run', () => {
	const [, english] = /three to (ten) minutes/.exec(read(README)) ?? [];
	const [, spanish] = /de 3 a (10) minutos/.exec(read(GUIDE)) ?? [];
	expect([english, spanish]).toEqual(['ten', '10']);
});
