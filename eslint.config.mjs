import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';

/** The walls between the folders: who may import whom. A folder not named in `allowed` is out of reach. */
const folders = ['contract', 'credentials', 'demo', 'nodes', 'sandbox', 'test'];
const wall = (folder, allowed = [], typesOnly = []) => ({
	files: [`${folder}/**/*.{ts,mjs}`],
	rules: {
		'@typescript-eslint/no-restricted-imports': [
			'error',
			{
				patterns: [
					...folders
						.filter((other) => other !== folder && ![...allowed, ...typesOnly].includes(other))
						.map((other) => ({
							regex: `^(\\.\\./)+${other}(/|$)`,
							message: `${folder}/ must not import ${other}/.`,
						})),
					...typesOnly.map((other) => ({
						regex: `^(\\.\\./)+${other}(/|$)`,
						message: `${folder}/ may import ${other}/ as types only (import type).`,
						allowTypeImports: true,
					})),
				],
			},
		],
	},
});

export default tseslint.config(
	{ ignores: ['**/node_modules', 'dist', 'coverage', '.test-output', 'demo/n8n-host'] },
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
			'@typescript-eslint/no-floating-promises': [
				'error',
				{
					allowForKnownSafeCalls: [
						{ from: 'package', name: ['describe', 'it', 'test'], package: 'node:test' },
					],
				},
			],
			'@typescript-eslint/no-misused-promises': 'error',
			'@typescript-eslint/switch-exhaustiveness-check': 'error',
		},
	},
	{
		files: ['*.js'],
		languageOptions: { globals: { module: 'writable', require: 'readonly' } },
		rules: { '@typescript-eslint/no-require-imports': 'off' },
	},

	// Command-line programs speak to a person.
	{
		files: ['demo/**', 'sandbox/cli.ts', 'test/run.ts', 'test/bench/**', 'test/package/**'],
		rules: { 'no-console': 'off' },
	},

	wall('contract'),
	wall('credentials', ['nodes'], ['contract']),
	wall('nodes', ['credentials'], ['contract']),
	wall('sandbox', ['contract']),
	wall('demo'),

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
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
);
