import { startSandboxWithHelpers, type TestSandbox } from '../support/sandbox';

describe('the pages of a clone that the sandbox serves', () => {
	let sandbox: TestSandbox;

	beforeAll(async () => (sandbox = await startSandboxWithHelpers()));
	afterAll(async () => await sandbox.close());

	const get = async (path: string) => {
		const response = await fetch(new URL(`/repository/${path}`, sandbox.page));
		const type = response.headers.get('content-type') ?? '';
		return { status: response.status, type, text: await response.text() };
	};

	/** Those of other hosts are left out. */
	const linksOf = (html: string) =>
		[...html.matchAll(/(?:href|src)="([^"#]+)/g)]
			.map(([, link]) => link)
			.filter((link) => !/^(https?:|mailto:)/.test(link));

	it('lead to no address that does not exist, from README and its pages on', async () => {
		const dead: string[] = [];
		const queue = ['README.md', 'README.es.md', 'CONTRIBUTING.md', 'docs/README.md'];
		const known = new Set(queue);
		for (const path of queue) {
			const { status, type, text } = await get(path);
			if (status !== 200) dead.push(path);
			if (!type.startsWith('text/html')) continue;
			for (const link of linksOf(text)) {
				const { pathname } = new URL(link, `http://localhost/repository/${path}`);
				const next = pathname.replace('/repository/', '');
				if (known.has(next) || !/\.(md|svg|webp)$/.test(next)) continue;
				known.add(next);
				queue.push(next);
			}
		}
		expect(dead).toEqual([]);
		expect(queue.length).toBeGreaterThan(20);
	});

	it('have headings with the anchors that links name', async () => {
		const { text } = await get('docs/maintainers/verification.md');
		expect(text).toContain('id="why-one-package"');
	});

	it.each([
		'package.json',
		'docs/../package.json',
		'docs/%2e%2e/package.json',
		'docs/none.md',
		'.ci/run',
	])('do not include %s', async (path) => {
		expect((await get(path)).status).toBe(404);
	});
});
