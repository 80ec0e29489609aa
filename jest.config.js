/** ts-jest only transpiles (isolatedModules); types are checked once for the whole tree by `npm run typecheck`. */
const common = {
	testEnvironment: 'node',
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.json' }] },
	modulePathIgnorePatterns: ['<rootDir>/demo/n8n-host', '<rootDir>/dist', '<rootDir>/.test-output'],
};

module.exports = {
	projects: ['unit', 'integration', 'e2e'].map((name) => ({
		...common,
		displayName: name,
		testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
		...(name === 'integration' && {
			setupFiles: ['<rootDir>/test/integration/support/environment.ts'],
		}),
	})),
};
