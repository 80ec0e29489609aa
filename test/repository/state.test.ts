import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { filesIn } from '../support/repositoryFiles';

const root = join(__dirname, '..', '..');
const STATE = 'nodes/shared/processState.ts';

/** An instance, or an empty container, can change after its module is loaded. */
function isMutable(value: ts.Expression | undefined): boolean {
	if (!value) return false;
	if (ts.isNewExpression(value)) return true;
	if (ts.isArrayLiteralExpression(value)) return value.elements.length === 0;
	return ts.isObjectLiteralExpression(value) && value.properties.length === 0;
}

/** Only the top level of a module counts. */
function mutableState(path: string, text: string): string[] {
	const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
	return file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) =>
		declarationList.declarations
			.filter(({ type, initializer }) => {
				const isConstant = (declarationList.flags & ts.NodeFlags.Const) !== 0;
				const isReadOnly = /^Readonly/.test(type?.getText() ?? '');
				return !isConstant || (isMutable(initializer) && !isReadOnly);
			})
			.map(({ name }) => `${path}: ${name.getText()}`),
	);
}

const found = ['nodes', 'credentials']
	.flatMap(filesIn)
	.filter((path) => path.endsWith('.ts'))
	.flatMap((path) => mutableState(path, readFileSync(join(root, path), 'utf8')));

describe('module-level mutable state', () => {
	it('is in processState alone', () => {
		expect(found).toEqual([`${STATE}: state`]);
	});

	it.each([
		'let a = 1;',
		'const a = new Map();',
		'const a: string[] = [];',
		'export const a = {};',
	])('is found: %s', (text) => {
		expect(mutableState('a.ts', text)).toEqual(['a.ts: a']);
	});

	it.each([
		'const a = 1;',
		'const a = () => new Map();',
		'const a: ReadonlySet<string> = new Set();',
	])('is not: %s', (text) => {
		expect(mutableState('a.ts', text)).toEqual([]);
	});
});
