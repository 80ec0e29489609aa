/**
 * The import rules. `docs/maintainers/architecture.md` shows the picture and describes each module.
 * Run by `npm run lint`.
 */
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
	forbidden: [
		rule(
			'no-circle',
			'Two files that need each other are one thing, or hold a third thing that both need. Types count, too.',
			{},
			{ circular: true },
		),
		{
			...rule(
				'no-module-circle',
				'The modules of a family are layered: a lower one never imports a higher one.',
				{ path: '^nodes/[^/]+/.' },
				{ path: '^nodes/[^/]+/.', circular: true },
			),
			scope: 'folder',
		},
		rule(
			'family',
			'A family of nodes imports its own modules and nodes/shared, never another family. nodes/shared holds the code of both.',
			{ path: '^nodes/([^/]+)/', pathNot: '^nodes/shared/' },
			{ path: '^nodes/', pathNot: ['^nodes/shared/', '^nodes/$1/'] },
		),
		rule(
			'shared',
			'nodes/shared knows no family of nodes.',
			{ path: '^nodes/shared/' },
			{ path: '^nodes/', pathNot: '^nodes/shared/' },
		),
		rule(
			'nodes',
			'What is published imports itself, the types of contract/, and nothing else of this repository.',
			{ path: '^nodes/' },
			{ path: '^(bench|demo|release|sandbox|scripts|test)/' },
		),
		rule(
			'credentials',
			'Credential types import nodes/shared/credentials and host, the types of contract/, and each other.',
			{ path: '^credentials/' },
			{
				path: '^(bench|demo|nodes|release|sandbox|scripts|test)/',
				pathNot: '^nodes/shared/(credentials|host)/',
			},
		),
		rule(
			'contract-as-types',
			'What is published may import contract/ as types only (import type): at run time it is not there.',
			{ path: '^(nodes|credentials)/' },
			{ path: '^contract/', dependencyTypesNot: ['type-only'] },
		),
		rule(
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
		rule(
			'contract',
			'contract/ is the wire format alone.',
			{ path: '^contract/' },
			{ path: '^(bench|credentials|demo|nodes|release|sandbox|scripts|test)/' },
		),
		rule(
			'sandbox',
			'The sandbox imports contract/ and never the nodes: the mistake of one must not hide in the other.',
			{ path: '^sandbox/' },
			{ path: '^(bench|credentials|demo|nodes|release|scripts|test)/' },
		),
		rule(
			'demo',
			'The demo starts processes; it imports none of them.',
			{ path: '^demo/' },
			{ path: '^(bench|contract|credentials|nodes|release|sandbox|scripts|test)/' },
		),
		rule(
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
