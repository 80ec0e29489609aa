// Tests run in the realm of their process, as nodes run in n8n's, and all files of a process share one n8n: jest's own
// environment would load its 1,700 files anew for each test file, a third of all the time that tests need.
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** Stands for the realm of the process, where jest asks for a context. */
const HERE = {};
const { compileFunction } = vm;
/** What has been compiled here, by file and code: each test file runs the same modules anew. */
const compiled = new Map();
vm.compileFunction = (code, parameters, { parsingContext, ...options }) => {
	if (parsingContext !== HERE) {
		return compileFunction(code, parameters, { ...options, parsingContext });
	}
	const key = [options.filename, parameters, code].join('\n');
	const known = compiled.get(key) ?? compileFunction(code, parameters, options);
	compiled.set(key, known);
	return known;
};

/** See `test/once`. */
globalThis.requireOnce = require;

/** What tests replace in the realm: a file that leaves a timer or a clock of its own must not stop the next one. */
const CLOCKS = [
	'Date',
	...Object.keys(globalThis).filter((name) => /^(set|clear|queue)/.test(name)),
];
const clocks = CLOCKS.map((name) => [name, globalThis[name]]);
const { now } = Date;

module.exports = class OneRealm extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		// jest-circus keeps its state under symbols that the environment brings.
		for (const key of Object.getOwnPropertySymbols(this.global)) {
			globalThis[key] ??= this.global[key];
		}
		this.global = globalThis;
		this.moduleMocker = new this.moduleMocker.constructor(globalThis);
		this.fakeTimersModern = new this.fakeTimersModern.constructor({
			config: config.projectConfig,
			global: globalThis,
		});
		this.environmentVariables = { ...process.env };
	}

	async teardown() {
		for (const name of Object.keys(process.env)) {
			if (!(name in this.environmentVariables)) delete process.env[name];
		}
		Object.assign(process.env, this.environmentVariables);
		await super.teardown();
		Object.assign(globalThis, Object.fromEntries(clocks));
		Date.now = now;
	}

	getVmContext() {
		return HERE;
	}
};
