/** What is loaded once for all test files of a process, as `test/once` says. */
const ONCE = [
	...['n8n-core', 'n8n-workflow', 'fastify', '@fastify/(?:formbody|jwt|swagger|swagger-ui)'],
	...['@faker-js/faker', '@sinclair/typebox(?:/compiler)?', 'fast-check'],
];

const TRANSPILE = ['@swc/jest', { jsc: { target: 'es2022' }, swcrc: false }];

const common = {
	testEnvironment: '<rootDir>/test/environment.cjs',
	moduleNameMapper: { [`^(${ONCE.join('|')})$`]: '<rootDir>/test/once/$1.cjs' },
	// Only transpiles: types are checked once for the whole tree by `npm run typecheck`.
	transform: { '^.+\\.ts$': TRANSPILE },
	modulePathIgnorePatterns: [
		'<rootDir>/demo/n8n-host',
		'<rootDir>/dist',
		'<rootDir>/sandbox/dist',
		'<rootDir>/test/compat/hosts',
		'<rootDir>/test/compat/nodes',
		'<rootDir>/.test-output',
	],
};

module.exports = {
	// Jest's own summary repeats each failure in full.
	reporters: [['default', { summaryThreshold: Infinity }], '<rootDir>/test/failureSummary.cjs'],
	testSequencer: '<rootDir>/test/sequencer.cjs',
	testTimeout: 900_000, // ends what hangs; no test depends on how fast the machine is
	projects: ['unit', 'integration', 'e2e', 'compat'].map((name) => ({
		...common,
		displayName: name,
		testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
		...(name === 'e2e' && { globalSetup: '<rootDir>/test/e2e/support/build.ts' }),
		setupFiles: [
			'<rootDir>/test/support/freshConnections.ts',
			...(['integration', 'compat'].includes(name)
				? ['<rootDir>/test/integration/support/environment.ts']
				: []),
		],
	})),
};
