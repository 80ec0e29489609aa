const { availableParallelism } = require('node:os');

/** Most tests wait for a server; a worker that loads n8n-core needs about 1 GB. */
const WORKERS = Math.min(8, 3 * availableParallelism());

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
		'<rootDir>/.test-output',
	],
};
const connections = '<rootDir>/test/support/disableKeepAlive.ts';
const n8nCore = '<rootDir>/test/support/n8nCoreEnvironment.ts';

const longTimeout = '<rootDir>/test/support/longTimeout.ts';

const project = (name, setupFiles, more = {}) => ({
	...common,
	displayName: name,
	testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
	setupFiles,
	...more,
});

/** @type {import('jest').Config} */
module.exports = {
	maxWorkers: WORKERS,
	workerIdleMemoryLimit: '1.5GB', // each file loads n8n-core again
	testTimeout: 120_000, // ends what hangs; no test depends on how fast the machine is
	projects: [
		project('unit', [connections]),
		project('nodes', [connections, n8nCore]),
		project('sandbox', [connections]),
		project('exhaustive', [connections, n8nCore], { setupFilesAfterEnv: [longTimeout] }),
		project('repository', [connections, n8nCore], { setupFilesAfterEnv: [longTimeout] }),
		project('e2e', [connections], {
			globalSetup: '<rootDir>/test/e2e/support/build.ts', // installs n8n if it is missing
			globalTeardown: '<rootDir>/test/e2e/support/reportSkipped.ts',
			setupFilesAfterEnv: [longTimeout],
		}),
	],
};
