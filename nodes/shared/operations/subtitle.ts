import type { Resource } from './operation';

/** The expression that writes the chosen operation below a node's name, as it is listed in the node panel or shorter. */
export function subtitleOf(resources: Resource[]): string {
	const actions = Object.fromEntries(
		resources.flatMap((resource) =>
			resource.operations.map(({ value, subtitle, action }) => [
				`${resource.value} ${value}`,
				subtitle ?? action,
			]),
		),
	);
	return `={{ (${JSON.stringify(actions)})[$parameter["resource"] + " " + $parameter["operation"]] }}`;
}
