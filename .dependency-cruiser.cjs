/**
 * The walls of the house: who may import whom. `docs/architecture.md` shows the picture and says what each room is for.
 * Run by `npm run lint`.
 */
const wall = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
	forbidden: [
		wall(
			'no-circle',
			'Two files that need each other are one thing, or hold a third thing that both need. Types count, too.',
			{},
			{ circular: true },
		),
		{
			...wall(
				'no-room-circle',
				'The rooms of a family stand on floors: a lower one never needs a higher one.',
				{ path: '^nodes/[^/]+/.' },
				{ path: '^nodes/[^/]+/.', circular: true },
			),
			scope: 'folder',
		},
		wall(
			'family',
			'A family of nodes imports its own rooms and nodes/shared, never another family. What both need stands in nodes/shared.',
			{ path: '^nodes/([^/]+)/', pathNot: '^nodes/shared/' },
			{ path: '^nodes/', pathNot: ['^nodes/shared/', '^nodes/$1/'] },
		),
		wall(
			'shared',
			'nodes/shared knows no family of nodes.',
			{ path: '^nodes/shared/' },
			{ path: '^nodes/', pathNot: '^nodes/shared/' },
		),
		wall(
			'nodes',
			'What is published imports itself, the types of contract/, and nothing else of this repository.',
			{ path: '^nodes/' },
			{ path: '^(bench|demo|release|sandbox|scripts|test)/' },
		),
		wall(
			'credentials',
			'Credential types import nodes/shared/credentials, the types of contract/, and each other.',
			{ path: '^credentials/' },
			{
				path: '^(bench|demo|nodes|release|sandbox|scripts|test)/',
				pathNot: '^nodes/shared/credentials/',
			},
		),
		wall(
			'contract-as-types',
			'What is published may import contract/ as types only (import type): at run time it is not there.',
			{ path: '^(nodes|credentials)/' },
			{ path: '^contract/', dependencyTypesNot: ['type-only'] },
		),
		wall(
			'published',
			'At run time n8n supplies n8n-workflow and luxon; node:crypto comes with Node. Nothing else may be needed.',
			{ path: '^(nodes|credentials)/' },
			{
				dependencyTypes: [
					'core',
					'npm',
					'npm-dev',
					'npm-peer',
					'npm-no-pkg',
					'npm-unknown',
					'unknown',
				],
				pathNot: ['^(node:)?crypto$', 'node_modules/(@types/)?(n8n-workflow|luxon)/'],
			},
		),
		wall(
			'contract',
			'contract/ is the wire format alone.',
			{ path: '^contract/' },
			{ path: '^(bench|credentials|demo|nodes|release|sandbox|scripts|test)/' },
		),
		wall(
			'sandbox',
			'The sandbox imports contract/ and never the nodes: the mistake of one must not hide in the other.',
			{ path: '^sandbox/' },
			{ path: '^(bench|credentials|demo|nodes|release|scripts|test)/' },
		),
		wall(
			'demo',
			'The demo starts processes; it imports none of them.',
			{ path: '^demo/' },
			{ path: '^(bench|contract|credentials|nodes|release|sandbox|scripts|test)/' },
		),
		wall(
			'declared',
			'Packages that the tools import are in package.json.',
			{ pathNot: ['^(nodes|credentials)/', '^scripts/package/'] },
			{ dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
		),
	],
	options: {
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '^(demo/n8n-host|dist|sandbox/dist)/' },
		combinedDependencies: true,
		enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.cjs', '.js', '.json'] },
	},
};
