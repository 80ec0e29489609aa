/** ts-jest only transpiles (isolatedModules); types are checked once for the whole tree by `npm run typecheck`. */
// Dependencies of dependencies that are published as ES modules only, which jest cannot require.
const ESM_ONLY_NAMES = '(content-disposition|cookie)/';
const ESM_ONLY = `/node_modules/${ESM_ONLY_NAMES}.+\\.js$`;

const common = {
	testEnvironment: 'node',
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json' }],
		[ESM_ONLY]: [
			'ts-jest',
			{ tsconfig: { allowJs: true, module: 'commonjs', isolatedModules: true } },
		],
	},
	transformIgnorePatterns: [`/node_modules/(?!${ESM_ONLY_NAMES})`],
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
	testSequencer: '<rootDir>/test/sequencer.cjs',
	testTimeout: 180_000, // for machines that do other things, too; what hangs fails all the same
	projects: ['unit', 'integration', 'e2e', 'compat'].map((name) => ({
		...common,
		displayName: name,
		testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
		...(['unit', 'integration'].includes(name) && {
			testEnvironment: '<rootDir>/test/environment.cjs',
			moduleNameMapper: {
				'^(n8n-core|n8n-workflow|fastify|@faker-js/faker)$': '<rootDir>/test/once/$1.cjs',
			},
		}),
		...(name === 'e2e' && { globalSetup: '<rootDir>/test/e2e/support/build.ts' }),
		...(['integration', 'compat'].includes(name) && {
			setupFiles: ['<rootDir>/test/integration/support/environment.ts'],
		}),
	})),
};
