const { relative } = require('node:path');
const { stripVTControlCharacters } = require('node:util');

/** A screen, with room for the counts that follow. */
const MAX_LINES = 40;
const MAX_WIDTH = 160;
/** A matcher, what it expected, and what it received. */
const MAX_REASON_LINES = 4;

const cut = (line) => (line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line);

const DIFFERENCE = /^[-+] /;
const LEGEND = /^[-+] (Expected|Received) +[-+] \d+$/;

/** Returns the first lines of a failure's message, in front of its stack; of a diff, those that differ. */
function reasonLines(message, count) {
	const all = stripVTControlCharacters(message).split('\n');
	const stack = all.findIndex((line) => /^\s+at /.test(line));
	const lines = all
		.slice(0, stack < 0 ? undefined : stack)
		.filter((line) => !/^\s*(●.*)?$/.test(line) && !LEGEND.test(line));
	const different = lines.filter((line) => DIFFERENCE.test(line));
	return (different.length > 0 ? [lines[0], ...different] : lines).slice(0, count);
}

/** Lists what failed: tests, and files that failed outside of their tests. */
function listFailures(rootDir, { displayName, failureMessage, testFilePath, testResults }) {
	const file = [displayName?.name, relative(rootDir, testFilePath)].filter(Boolean).join(' › ');
	const failures = testResults
		.filter(({ status }) => status === 'failed')
		.map(({ ancestorTitles, title, failureMessages: [message] }) => ({
			name: [file, ...ancestorTitles, title].join(' › '),
			message,
		}));
	if (failures.length > 0 || !failureMessage) return failures;
	return [{ name: file, message: failureMessage }];
}

/** A Jest reporter. When a run ends, it prints on one screen which tests failed, and why. */
module.exports = class FailureSummary {
	constructor({ rootDir, testNamePattern }) {
		this.rootDir = rootDir;
		this.testNamePattern = testNamePattern;
	}

	onRunComplete(_contexts, { testResults, numPassedTests, numFailedTests }) {
		if (this.testNamePattern && numPassedTests + numFailedTests === 0) {
			this.error = new Error(`No title of a test fits "${this.testNamePattern}"`);
			process.stderr.write(`\n${this.error.message}\n`);
		}
		const failures = testResults.flatMap((result) => listFailures(this.rootDir, result));
		if (failures.length === 0) return;
		process.stderr.write(`\n${summarize(failures).map(cut).join('\n')}\n`);
	}

	/** Jest ends with 1 if there is one. */
	getLastError() {
		return this.error;
	}
};

function summarize(failures) {
	const shown = failures.slice(0, MAX_LINES / 2);
	const reasons = Math.min(MAX_REASON_LINES, Math.floor(MAX_LINES / shown.length) - 1);
	const lines = shown.flatMap(({ name, message }) => [
		`✕ ${name}`,
		...reasonLines(message, reasons).map((line) => `    ${line.trim()}`),
	]);
	const more = failures.length - shown.length;
	return more > 0 ? [...lines, `… and ${more} more`] : lines;
}
