import { readFile } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Marked } from 'marked';
import { packagedAssets } from '../assets';
import { HttpError } from '../plugins/errors';

/** What the pages link to, by the ending of its name. */
const types: Record<string, string> = {
	'.json': 'application/json',
	'.svg': 'image/svg+xml',
	'.webp': 'image/webp',
};

/** Pages stand at the top of the repository and below these folders. */
const isPublic = (path: string): boolean =>
	/^(docs|examples|sandbox)\/[\w./-]+$|^[A-Z_]+(\.es)?\.md$/.test(path) && !path.includes('..');

/** Headings have the anchors that the repository's host gives them. */
const markdown = new Marked({
	renderer: {
		heading({ tokens, depth, text }) {
			const anchor = text
				.toLowerCase()
				.replace(/[^\p{L}\p{N}_\s-]/gu, '')
				.replaceAll(' ', '-');
			return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
		},
	},
});

const STYLE = `body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border: 1px solid #ccc; padding: .3rem .6rem; text-align: left; vertical-align: top }
pre, code { background: #f4f4f4 } pre { padding: .8rem; overflow-x: auto } img { max-width: 100% }`;

function toHtml(path: string, source: string): string {
	const own = source
		.replaceAll(`${packagedAssets.repository}/blob/main/`, '/repository/')
		.replaceAll(
			`${packagedAssets.repository.replace('github.com', 'raw.githubusercontent.com')}/main/`,
			'/repository/',
		);
	const language = /^docs\/es\/|\.es\.md$/.test(path) ? 'es' : 'en';
	return `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${path}</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style>
${markdown.parse(own, { async: false })}</html>`;
}

/**
 * `GET /repository/*`: the documentation of a clone. Links of the demo lead here, because the repository may not be
 * public yet. The published sandbox has no such pages.
 */
export function registerRepositoryDocsRoute(app: FastifyInstance): void {
	const { root } = packagedAssets;
	if (root === undefined) return;
	app.get<{ Params: { '*': string } }>('/repository/*', async ({ params }, reply) => {
		const path = posix.normalize(params['*']);
		const type = types[extname(path)];
		const isPage = extname(path) === '.md';
		const content =
			isPublic(path) && (isPage || type)
				? await readFile(join(root, path)).catch(() => undefined)
				: undefined;
		if (!content) throw new HttpError(404, `There is no page ${path}`);
		if (!isPage) return await reply.type(type).send(content);
		return await reply.type('text/html; charset=utf-8').send(toHtml(path, content.toString()));
	});
}
