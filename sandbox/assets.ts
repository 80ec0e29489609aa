import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Files that the sandbox serves. In the published package, which is one file, the build puts their text here. */
export interface PackagedAssets {
	page: Record<string, string>;
	/** The example workflows as JSON, by name without `.json`. */
	examples: Record<string, string>;
	repository: string;
	/** The folder of a clone; absent in the published package. */
	root?: string;
	/** A person types it to start the sandbox. */
	command: string;
}

export function readAssets(): PackagedAssets {
	const root = join(__dirname, '..');
	const textsIn = (folder: string, type: RegExp) =>
		readdirSync(join(root, folder))
			.filter((name) => type.test(name))
			.sort()
			.map((name) => [name, readFileSync(join(root, folder, name), 'utf8')] as const);
	const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
		repository: { url: string };
	};
	return {
		page: Object.fromEntries(textsIn('sandbox/control/page', /\.(html|css|js)$/)),
		examples: Object.fromEntries(
			textsIn('examples', /\.json$/).map(([name, text]) => [basename(name, '.json'), text]),
		),
		repository: repository.url.replace(/^git\+|\.git$/g, ''),
		root,
		command: 'npm run sandbox --',
	};
}

export const packagedAssets = readAssets();
