import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagedAssets } from '../../../sandbox/assetTextsInlinedAtBuild';

const root = join(__dirname, '..', '..', '..');
const pages = ['.', 'docs', 'docs/maintainers', 'sandbox'].flatMap((folder) =>
	readdirSync(join(root, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => join(folder, name)),
);

describe("n8n's verification asks for documentation in English", () => {
	it.each(pages)('%s links no page in another language', (page) => {
		const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)/g)];
		expect(links.map(([, link]) => link).filter((link) => /(^|\/)es\/|guia/.test(link))).toEqual(
			[],
		);
	});

	it('so the guide in Spanish is linked from the page of the sandbox', () => {
		expect(packagedAssets.page['index.html']).toContain('Guía en español');
	});
});
