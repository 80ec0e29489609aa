import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';

const root = join(__dirname, '..', '..');

/** The published classes, by their paths in dist. */
export const { n8n: published } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
	n8n: { nodes: string[]; credentials: string[] };
};

/** The source that a published class is built from, without extension. */
export const sourcePathOfBuilt = (built: string) =>
	join(root, built.replace(/^dist\//, '').replace(/\.js$/, ''));

/** A published class by its path in dist, loaded from its source. */
export async function instantiateFromSource<T>(built: string): Promise<T> {
	const source = sourcePathOfBuilt(built);
	const name = source.split('/').pop()?.split('.')[0] as string;
	const module = (await import(source)) as Record<string, new () => T>;
	return new module[name]();
}

export interface ParameterWithPath {
	path: string;
	property: INodeProperties;
}

/** Every parameter, those in collections included, each under its path. */
export function flattenParameters(properties: INodeProperties[], at = ''): ParameterWithPath[] {
	return properties.flatMap((property) => {
		const path = `${at}${property.name}`;
		const inner = (property.options ?? []).flatMap((option) => {
			if ('values' in option) return flattenParameters(option.values, `${path}.${option.name}.`);
			if ('displayName' in option)
				return flattenParameters([option as INodeProperties], `${path}.`);
			return [];
		});
		return [{ path, property }, ...inner];
	});
}
