import type { TSchema } from '@sinclair/typebox';
import { firstViolation } from '../../../contract/check';

/**
 * Compares the fields of valid values with those that their schema names, at every depth. Returns the paths that no
 * value has, and those that the schema does not name. Alternatives of a union count one by one.
 */
export function compareFields(schema: TSchema, values: unknown[]) {
	const named = new Set<string>();
	const sent = new Set<string>();
	const roots = new Map<string, TSchema>();

	const visit = (part: TSchema, value: unknown, path: string): void => {
		if (part.$ref) return visit(roots.get(String(part.$ref)) as TSchema, value, '');
		const { $id, allOf = [], anyOf = [], items, properties, patternProperties = {} } = part;
		const at = $id ?? path;
		if ($id) roots.set($id, part);
		for (const one of allOf as TSchema[]) visit(one, value, at);
		for (const [index, one] of (anyOf as TSchema[]).entries()) {
			if (!firstViolation(one, value)) visit(one, value, anyOf.length > 2 ? `${at}(${index})` : at);
		}
		if (Array.isArray(value)) {
			for (const one of items ? value : []) visit(items as TSchema, one, `${at}[]`);
		} else if (typeof value === 'object' && value !== null) {
			const fields = (properties ?? {}) as Record<string, TSchema>;
			for (const name of Object.keys(fields)) named.add(`${at}.${name}`);
			for (const [name, field] of Object.entries(value)) {
				if (properties) sent.add(`${at}.${name}`);
				if (fields[name]) visit(fields[name], field, `${at}.${name}`);
				for (const one of Object.values(patternProperties)) visit(one as TSchema, field, `${at}{}`);
			}
		}
	};

	for (const value of values) visit(schema, value, '');
	return {
		unsent: [...named].filter((path) => !sent.has(path)),
		undocumented: [...sent].filter((path) => !named.has(path)),
	};
}
