const { availableParallelism } = require('node:os');

/** Most tests wait for a server or for n8n. Jest takes a percentage above 100 for a number of workers. */
const WORKERS = 2 * availableParallelism();

/** Packages that are ES modules only, which Jest cannot load on Node 20: transpiled like the sources. */
const ES_MODULES = [
	...['@nodable/entities', 'anynum', 'color', 'color-name', 'color-string', 'content-disposition'],
	...['cookie', 'xml-naming'],
];

const common = {
	// Only transpiles: types are checked once for the whole tree by `npm run typecheck`.
	transform: { '^.+\\.[jt]s$': ['@swc/jest', { jsc: { target: 'es2022' }, swcrc: false }] },
	transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES.join('|')})/)`],
	modulePathIgnorePatterns: [
		'<rootDir>/demo/n8n-host',
		'<rootDir>/dist',
		'<rootDir>/sandbox/dist',
		'<rootDir>/scripts/compat/hosts',
		'<rootDir>/scripts/compat/nodes',
		'<rootDir>/.test-output',
	],
};
const connections = '<rootDir>/test/support/disableKeepAlive.ts';
const n8nCore = '<rootDir>/test/integration/support/setN8nCoreEnvVariables.ts';

/** @type {import('jest').Config} */
module.exports = {
	maxWorkers: WORKERS,
	workerIdleMemoryLimit: '1.5GB', // each file loads n8n-core again
	// Jest's own summary repeats each failure in full.
	reporters: [['default', { summaryThreshold: Infinity }], '<rootDir>/test/failureSummary.cjs'],
	testTimeout: 900_000, // ends what hangs; no test depends on how fast the machine is
	projects: [
		{
			...common,
			displayName: 'unit',
			testMatch: ['<rootDir>/test/unit/**/*.test.ts'],
			setupFiles: [connections],
		},
		{
			...common,
			displayName: 'integration',
			testMatch: ['<rootDir>/test/integration/**/*.test.ts'],
			setupFiles: [connections, n8nCore],
		},
		{
			...common,
			displayName: 'e2e',
			testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
			globalSetup: '<rootDir>/test/e2e/support/build.ts', // installs n8n if it is missing
			setupFiles: [connections],
		},
	],
};
