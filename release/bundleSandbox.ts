// Makes the package credit-profile-sandbox ready to be packed: sandbox/dist/credit-profile-sandbox.js, one file that needs
// nothing but Node, and the licence beside it. Run by `npm pack` and `npm publish` in sandbox/.
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { readAssets } from '../sandbox/assets';

const root = join(__dirname, '..');
const folder = join(root, 'sandbox');

/** A module whose one export is a value known now. */
const constant = (name: string, value: unknown) => ({
	contents: `export const ${name} = ${JSON.stringify(value)};`,
	loader: 'js' as const,
});

/** Puts the files that the sandbox serves into the bundle. */
const embedAssets: Plugin = {
	name: 'embed assets',
	setup({ onLoad }) {
		const published = { command: 'npx credit-profile-sandbox', root: undefined };
		const assets = { ...readAssets(), ...published };
		onLoad({ filter: /[\\/]sandbox[\\/]assets\.ts$/ }, () => constant('packagedAssets', assets));
	},
};

/** Swagger UI serves its files by @fastify/static, from a folder that a bundle has not. */
const embedSwaggerUi: Plugin = {
	name: 'embed Swagger UI',
	setup({ onLoad, onResolve }) {
		const statics = join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static');
		const isNeeded = (name: string) =>
			/\.(css|png)$|^swagger-ui-(bundle|standalone-preset)\.js$|^oauth2-redirect/.test(name);
		const files = readdirSync(statics).filter(isNeeded);
		const types = { css: 'text/css', html: 'text/html', js: 'text/javascript', png: 'image/png' };
		onResolve({ filter: /^@fastify\/static$/ }, () => ({
			path: 'swagger-ui-files',
			namespace: 'embedded',
		}));
		onLoad({ filter: /^swagger-ui-files$/, namespace: 'embedded' }, () => ({
			contents: `
				const files = ${JSON.stringify(
					files.map((name) => {
						const encoding = name.endsWith('.png') ? 'base64' : 'utf8';
						const type = types[name.split('.').at(-1) as keyof typeof types];
						return { name, type, encoding, text: readFileSync(join(statics, name), encoding) };
					}),
				)};
				module.exports = async (fastify, { prefix }) => {
					for (const { name, type, encoding, text } of files) {
						fastify.get('/' + name, { schema: { hide: true } }, async (request, reply) =>
							reply.type(type).send(Buffer.from(text, encoding)));
					}
				};`,
			loader: 'js',
		}));
	},
};

async function main(): Promise<void> {
	rmSync(join(folder, 'dist'), { recursive: true, force: true });
	await build({
		entryPoints: [join(folder, 'cli.ts')],
		outfile: join(folder, 'dist', 'credit-profile-sandbox.js'),
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		minify: true,
		keepNames: true,
		legalComments: 'none',
		banner: { js: '#!/usr/bin/env node' },
		plugins: [embedAssets, embedSwaggerUi],
		logLevel: 'warning',
	});
	copyFileSync(join(root, 'LICENSE.md'), join(folder, 'LICENSE.md'));
}

void main();
