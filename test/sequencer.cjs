const { createHash } = require('node:crypto');
const { relative } = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

/** Files that take minutes, the longest first: whatever begins last decides when a run ends. Others go by their size. */
const LONGEST = [
	'e2e/triggers',
	'e2e/examples',
	'e2e/tutorial',
	'e2e/killedN8n',
	'e2e/nodes',
	'e2e/queueMode',
	'e2e/install',
	'e2e/cli',
	'integration/taxQuery/trigger/unreadable',
	'integration/taxQuery/neverTwice',
	'integration/taxQuery/paidOnce',
	'integration/taxQuery/costTexts',
	'integration/taxQuery/wait',
	'integration/transport/token',
	'integration/taxQuery/trigger/unanswered',
	'integration/dialects/taxQuery',
	'integration/taxQuery/edges',
	'integration/transport/transport',
	'integration/creditProfile/paging',
	'integration/taxQuery/changingFields',
	'integration/taxQuery/trigger/once',
	'integration/taxQuery/strangeRecords',
	'integration/taxQuery/trigger/webhook',
	'integration/transport/pacing',
	'integration/creditProfile/downloads',
	'integration/sandbox/cli',
	'integration/taxQuery/responses',
	'integration/taxQuery/oddAnswers',
	'integration/dialects/stranger',
	'integration/taxQuery/answers',
	'integration/taxQuery/trigger/shapes',
].map((name) => `/test/${name}.test.ts`);

const hash = (text) => createHash('sha1').update(text).digest('hex');

/** Also where jest has not measured yet how long a file takes, as in a fresh clone. */
module.exports = class LongestFirst extends Sequencer {
	constructor(options) {
		super(options);
		this.config = options.globalConfig;
	}

	sort(tests) {
		const { randomize, seed, rootDir } = this.config;
		const place = ({ path }) => {
			if (randomize) return hash(`${seed} ${relative(rootDir, path)}`);
			const at = LONGEST.findIndex((name) => path.replaceAll('\\', '/').endsWith(name));
			return at < 0 ? LONGEST.length : at;
		};
		return super
			.sort(tests)
			.sort((a, b) => (place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : 0));
	}
};
