/** The vocabulary of the code as ESLint rules: names, comments, type names and test titles. */
const { readdirSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');

/** Parts of names that stand for a standard term; the term is in the message. */
const PARTS = {
	told: 'reported, rendered, or the thing itself',
	tell: 'render, report',
	tells: 'renders, reports',
	telling: 'output, error text',
	said: 'serviceMessage, notification',
	asked: 'request, requested',
	asking: 'request, poll',
	look: 'poll, search, check',
	looks: 'polls, searches, checks',
	looking: 'polling, searching',
	kept: 'stored, visible',
	strange: 'foreign, unknown',
	stranger: 'stub, unknown',
	strangers: 'unknown',
	lean: 'mayLackResponse',
	vague: 'lacksRequestOrDate',
	untold: 'inconclusive, unknown, possible',
	doubt: 'uncertainty',
	doubts: 'uncertainty',
	doubtful: 'uncertain',
	owe: 'pending',
	owed: 'pending',
	owes: 'pending',
	owing: 'pending',
	fate: 'disposition',
};

/** Whole names that had several meanings, or none that a reader could guess. */
const NAMES = {
	survey: 'planPoll',
	takeIn: 'applyPlan',
	bring: 'processResult',
	passOn: 'executeTrigger',
	startHere: 'startWithoutSession',
	handOver: 'dispatch',
	watcher: 'session',
	Watcher: 'PollingSession',
	Life: 'SubmissionState',
	lives: 'states',
	livesOf: 'statesOf',
	Sight: 'ListedQuery',
	Stand: 'QueryStatus',
	Situation: 'PollContext',
	Trouble: 'QueryProblem',
	Patience: 'RetryBudget',
	depart: 'runBeforeSend',
	onDeparture: 'setBeforeSend',
	saidBy: 'extractServiceMessage',
	hasWorked: 'isConfirmed',
	wholeSince: 'completeSince',
	asItIs: 'identity',
	inOwnNames: 'toWireNames',
	inDocumentNames: 'fromWireNames',
	hintAtDoubts: 'warnOnMismatch',
	unheard: 'unechoedFields',
	monthsAmiss: 'mismatchedMonths',
	wordsOf: 'errorText',
	saidInRun: 'newHintSet',
};

const MOST_WORDS = 25;
const MOST_LETTERS = 80;

const partsOf = (name) =>
	name
		.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
		.split(/[^A-Za-z]+/)
		.map((part) => part.toLowerCase());

/** Returns the banned part of a name and the standard term; undefined if the name has none. */
function findBanned(name) {
	if (Object.hasOwn(NAMES, name)) return { part: name, term: NAMES[name] };
	const part = partsOf(name).find((each) => Object.hasOwn(PARTS, each));
	return part && { part, term: PARTS[part] };
}

/** A comment's text without its marks, code and quotations; list entries and paragraphs stay on lines of their own. */
const textOf = (comment) =>
	comment.value
		.split('\n')
		.map((line) => line.replace(/^\s*\*?\s?/, ''))
		.join('\n')
		.replace(/`[^`]*`|"[^"]*"|“[^”]*”|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])|https?:\S+/gu, 'x')
		.replace(/\n(?!\s*\n|\s*[-@])/g, ' ')
		.trim();

/** Consecutive line comments are one text. */
function commentsOf(sourceCode) {
	const all = [];
	for (const comment of sourceCode.getAllComments()) {
		const before = all.at(-1);
		const isNext =
			before?.type === 'Line' &&
			comment.type === 'Line' &&
			before.loc.end.line + 1 === comment.loc.start.line &&
			before.loc.start.column === comment.loc.start.column;
		if (!isNext) all.push({ ...comment });
		else
			Object.assign(before, {
				value: `${before.value} ${comment.value}`,
				loc: { ...before.loc, end: comment.loc.end },
			});
	}
	return all.filter(({ value }) => !/^\s*(eslint|@ts-|prettier-)/.test(value));
}

const noBannedWords = {
	meta: {
		type: 'suggestion',
		schema: [],
		messages: {
			name: "'{{name}}' is not a standard term: {{term}}.",
			comment: "'{{part}}' in a comment is not a standard term: {{term}}.",
		},
	},
	create(context) {
		const check = (id) => {
			if (id?.type === 'ObjectPattern') {
				for (const property of id.properties) check(property.value ?? property.argument);
			} else if (id?.type === 'ArrayPattern') id.elements.forEach(check);
			else if (id?.type === 'AssignmentPattern') check(id.left);
			else if (id?.type === 'RestElement') check(id.argument);
			else if (id?.type === 'TSParameterProperty') check(id.parameter);
			else if (id?.type === 'Identifier' || id?.type === 'PrivateIdentifier') {
				const banned = findBanned(id.name);
				if (banned)
					context.report({ node: id, messageId: 'name', data: { name: id.name, ...banned } });
			}
		};
		const checkFunction = (node) => {
			check(node.id);
			node.params.forEach(check);
		};
		const checkKey = (node) => !node.computed && check(node.key);
		return {
			VariableDeclarator: ({ id }) => check(id),
			FunctionDeclaration: checkFunction,
			FunctionExpression: checkFunction,
			ArrowFunctionExpression: checkFunction,
			CatchClause: ({ param }) => check(param),
			ClassDeclaration: ({ id }) => check(id),
			PropertyDefinition: checkKey,
			MethodDefinition: checkKey,
			'ObjectExpression > Property[shorthand=false]': checkKey,
			TSNamedTupleMember: ({ label }) => check(label),
			TSInterfaceDeclaration: ({ id }) => check(id),
			TSTypeAliasDeclaration: ({ id }) => check(id),
			TSEnumDeclaration: ({ id }) => check(id),
			TSPropertySignature: checkKey,
			TSMethodSignature: checkKey,
			'Program:exit'() {
				for (const comment of commentsOf(context.sourceCode)) {
					const words = textOf(comment).match(/[\p{L}\p{N}']+/gu) ?? [];
					const part = words
						.map((word) => word.toLowerCase())
						.find((word) => Object.hasOwn(PARTS, word));
					if (part) {
						context.report({
							loc: comment.loc,
							messageId: 'comment',
							data: { part, term: PARTS[part] },
						});
					}
				}
			},
		};
	},
};

const sentenceLength = {
	meta: {
		type: 'suggestion',
		schema: [],
		messages: {
			long: 'A sentence of a comment has {{count}} words, more than {{most}}: "{{start}} …"',
		},
	},
	create: (context) => ({
		'Program:exit'() {
			for (const comment of commentsOf(context.sourceCode)) {
				for (const sentence of textOf(comment).split(/(?<=[.!?][)"]*)\s+|\n/)) {
					const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
					if (words.length <= MOST_WORDS) continue;
					const data = {
						count: words.length,
						most: MOST_WORDS,
						start: words.slice(0, 6).join(' '),
					};
					context.report({ loc: comment.loc, messageId: 'long', data });
				}
			}
		},
	}),
};

const EXPORTED = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;
const filesByType = new Map();

/** Returns which files export a type of each name, below the given folders; read once for each set of folders. */
function exportedTypes(root, folders) {
	const key = [root, ...folders].join('\n');
	const known = filesByType.get(key);
	if (known) return known;
	const types = new Map();
	for (const folder of folders) {
		for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
			if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
			const path = join(entry.parentPath, entry.name);
			for (const [, name] of readFileSync(path, 'utf8').matchAll(EXPORTED)) {
				types.set(name, [...(types.get(name) ?? []), path]);
			}
		}
	}
	filesByType.set(key, types);
	return types;
}

const uniqueTypeNames = {
	meta: {
		type: 'problem',
		schema: [
			{ type: 'object', properties: { folders: { type: 'array', items: { type: 'string' } } } },
		],
		messages: { twice: "Another file exports a type '{{name}}': {{path}}." },
	},
	create(context) {
		const [{ folders }] = context.options;
		const check = ({ declaration }) => {
			const name = declaration?.id?.name;
			const others = exportedTypes(context.cwd, folders).get(name) ?? [];
			const isType = /^(TSInterface|TSTypeAlias|TSEnum|Class)Declaration$/.test(declaration?.type);
			const other = isType && others.find((path) => path !== context.filename);
			if (!other) return;
			const path = relative(context.cwd, other);
			context.report({ node: declaration.id, messageId: 'twice', data: { name, path } });
		};
		return { ExportNamedDeclaration: check };
	},
};

const titleOf = ([title]) => {
	if (title?.type === 'Literal') return String(title.value);
	return title?.type === 'TemplateLiteral'
		? title.quasis.map(({ value }) => value.cooked).join('')
		: '';
};

/** The name of what is called: `it` of `it.each(rows)('…')`. */
function calleeName(callee) {
	if (callee.type === 'Identifier') return callee.name;
	if (callee.type === 'MemberExpression') return calleeName(callee.object);
	if (callee.type === 'CallExpression') return calleeName(callee.callee);
	return callee.type === 'TaggedTemplateExpression' ? calleeName(callee.tag) : '';
}

const testTitles = {
	meta: {
		type: 'suggestion',
		schema: [],
		messages: {
			long: 'The title of a test has {{count}} characters, more than {{most}}.',
			banned: "'{{part}}' in the title of a test is not a standard term: {{term}}.",
		},
	},
	create: (context) => ({
		CallExpression(node) {
			if (!/^(it|test|describe)$/.test(calleeName(node.callee))) return;
			const title = titleOf(node.arguments);
			const count = title.length;
			if (count > MOST_LETTERS) {
				context.report({ node, messageId: 'long', data: { count, most: MOST_LETTERS } });
			}
			const plain = title.replace(/"[^"]*"|'[^']*'/g, '');
			const part = partsOf(plain).find((each) => Object.hasOwn(PARTS, each));
			if (part) context.report({ node, messageId: 'banned', data: { part, term: PARTS[part] } });
		},
	}),
};

module.exports = {
	rules: {
		'no-banned-words': noBannedWords,
		'sentence-length': sentenceLength,
		'unique-type-names': uniqueTypeNames,
		'test-titles': testTitles,
	},
};
