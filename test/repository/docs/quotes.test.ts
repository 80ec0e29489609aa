import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesIn } from '../../support/repositoryFiles';

const root = join(__dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const sourcesIn = (...folders: string[]) =>
	folders
		.flatMap(filesIn)
		.filter((path) => /\.(ts|js|html|json)$/.test(path))
		.map(read)
		.join('\n');

const GITHUB = 'https://github.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile/';
/** Pages of the repository that are no files of it. */
const OF_GITHUB = /^(actions|issues)\b.*/;
const PICTURES =
	'https://raw.githubusercontent.com/n8n-nodes-credit-profile/n8n-nodes-credit-profile/main/';
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** n8n's own words, and emphasis. */
const OF_N8N =
	`Execute workflow|Execute step|Execute previous nodes|Trigger manually|Executions|Binary|Download|Webhook URLs|Human Review|On Error|Save|Stop|Approve
	|Couldn't connect with these settings|More details
	|Allow access|Got it, thanks|once|may have been accepted|cursiva|save successful executions: none|What the operator reads`
		.split('|')
		.map((text) => text.trim());

const pages = ['.', 'docs', 'docs/maintainers', 'docs/es'].flatMap((folder) =>
	readdirSync(join(root, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => join(folder, name)),
);

describe.each(pages)('what %s quotes', (page) => {
	const text = read(page);
	const prose = text.replace(/```[\s\S]*?```/g, '').replace(/`[^`]*`/g, '');
	const links = [...text.matchAll(/(?:\]\(|(?:href|src)=")([^)"\s]+)[)"]/g)].map(
		([, link]) => link,
	);
	/** The file of the repository that a link leads to; an address elsewhere is ''. */
	const fileOf = (link: string) => {
		const [path] = link.split('#');
		if (path.startsWith(PICTURES)) return path.slice(PICTURES.length);
		if (path.startsWith(GITHUB))
			return path
				.slice(GITHUB.length)
				.replace(OF_GITHUB, '')
				.replace(/^(blob|tree)\/main\//, '');
		if (path === '') return page;
		return /^(https?|mailto):/.test(path) ? '' : join(dirname(page), path);
	};

	it('links to files that exist', () => {
		expect(links.filter((link) => !existsSync(join(root, fileOf(link))))).toEqual([]);
	});

	it('links to headings that exist', () => {
		const anchors = (path: string) =>
			[...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
				heading
					.toLowerCase()
					.replace(/[^\p{L}\p{N}_\s-]/gu, '')
					.replaceAll(' ', '-'),
			);
		const broken = links.filter((link) => {
			const [, anchor] = link.split('#');
			const file = fileOf(link);
			return anchor !== undefined && file !== '' && !anchors(file).includes(anchor);
		});
		expect(broken).toEqual([]);
	});

	it('names commands that exist, with flags that exist', () => {
		const commands = [...text.matchAll(/(?:^|`|&& )npm (?:run )?([\w:]+)/gm)];
		const npmsOwn = ['ci', 'install', 'pack', 'publish', 'version', 'deprecate'];
		const unknown = commands.filter(([, name]) => !(name in scripts) && !npmsOwn.includes(name));
		const flags = [...text.matchAll(/(?<=[\s`])--([a-z][a-z-]+)/g)].map(([, flag]) => flag);
		const clis = ['demo/cli.ts', 'bench/cli.ts', 'scripts/compat/cli.ts'].map(read);
		const ofNpmAndJest =
			'ignore-scripts legacy-peer-deps allow-same-version no-git-tag-version follow-tags access hard provenance selectProjects';
		const known = [sourcesIn('sandbox'), ...clis, ofNpmAndJest].join('\n');
		const camel = (flag: string) =>
			flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
		expect(unknown.map(([command]) => command)).toEqual([]);
		expect(flags.filter((flag) => !known.includes(flag) && !known.includes(camel(flag)))).toEqual(
			[],
		);
	});

	it('writes labels as they are on the screen', () => {
		const sources = sourcesIn('nodes', 'credentials', 'examples', 'sandbox/control/page');
		const labels = [...prose.matchAll(/(?<![\w/])_([^_\n]+)_(?!\w)/g)]
			.map(([, label]) => label)
			.filter((label) => /^[A-Z]/.test(label) && !OF_N8N.includes(label));
		const parts = [...new Set(labels.flatMap((label) => label.split(/: | → /)))];
		expect(parts.filter((label) => !sources.includes(label) && !OF_N8N.includes(label))).toEqual(
			[],
		);
	});
});
