const { projects } = require('../../jest.config');

/** Runs the package on the n8n that COMPAT_HOST names; see cli.ts. */
module.exports = {
	...projects.find(({ displayName }) => displayName === 'nodes'),
	displayName: 'compat',
	rootDir: '../..',
	testMatch: ['<rootDir>/scripts/compat/*.compat.test.ts'],
	testTimeout: 900_000,
};
