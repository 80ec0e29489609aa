import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import jest from 'eslint-plugin-jest';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

export default tseslint.config(
	{
		ignores: [
			'**/node_modules',
			'dist',
			'sandbox/dist',
			'coverage',
			'.test-output',
			'demo/n8n-host',
		],
	},
	{
		files: ['**/*.{ts,mjs,js}'],
		extends: [tseslint.configs.recommended],
		linterOptions: { reportUnusedDisableDirectives: 'error' },
		rules: {
			eqeqeq: 'error',
			'no-console': 'error',
			'prefer-const': 'error',
			'@typescript-eslint/consistent-type-imports': [
				'error',
				{ fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
			],
		},
	},
	{
		files: ['**/*.ts'],
		languageOptions: {
			parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
		},
		rules: {
			'@typescript-eslint/no-floating-promises': 'error',
			'@typescript-eslint/no-misused-promises': 'error',
			'@typescript-eslint/switch-exhaustiveness-check': 'error',
		},
	},
	{
		files: ['*.js', 'scripts/**/*.js'],
		rules: { '@typescript-eslint/no-require-imports': 'off' },
	},

	{
		files: ['test/{unit,nodes,sandbox,exhaustive,repository}/**/*.test.ts'],
		plugins: { jest },
		rules: {
			'jest/expect-expect': [
				'error',
				{ assertFunctionNames: ['expect', 'expect*', '**.expect*', 'fc.assert', 'check', 'holds'] },
			],
			'jest/no-focused-tests': 'error',
			'jest/no-identical-title': 'error',
			'jest/no-standalone-expect': 'off',
			'jest/valid-title': [
				'error',
				{
					ignoreTypeOfDescribeName: true,
					ignoreTypeOfTestName: true,
					mustMatch: { test: ['^.{1,80}$', 'A title has at most 80 characters.'] },
				},
			],
		},
	},

	// Tests of the nodes know them as n8n does; what a restart forgets, and what queries there are, they read.
	{
		files: ['test/{nodes,e2e}/**/*.ts'],
		rules: {
			'no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							regex: String.raw`/nodes/(?=[A-Z]|shared/)(?!\w+/\w+\.node$|shared/(queryTypes/catalog|processState)$)`,
							caseSensitive: true,
							message: 'Assert on what a user or the service sees, not on the inside of the nodes.',
						},
					],
				},
			],
		},
	},

	// Command-line programs speak to a person.
	{
		files: ['demo/**', 'sandbox/cli.ts', 'bench/**', 'release/**', 'scripts/**'],
		rules: { 'no-console': 'off' },
	},

	// n8n's own rules, as its scanner applies them to what is published.
	{
		files: ['{nodes,credentials}/**/*.ts', 'package.json'],
		extends: [n8nCommunityNodesPlugin.configs.recommended],
	},
	{ plugins: { 'n8n-nodes-base': n8nNodesBase } },
	{
		files: ['package.json'],
		languageOptions: { parser: tseslint.parser },
		rules: { ...n8nNodesBase.configs.community.rules },
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
		},
	},

	// The build shortens the names of #private members, and nothing outside the class can read them.
	{
		files: ['{credentials,nodes}/**/*.ts'],
		rules: {
			'no-restricted-syntax': [
				'error',
				{ selector: "[accessibility='private']", message: 'Write #name instead of private name.' },
			],
		},
	},
);
