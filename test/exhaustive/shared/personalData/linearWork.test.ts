import type { IDataObject } from 'n8n-workflow';
import {
	maskIdentifiersInText,
	personalDataHiderForMode,
	type PersonalDataHider,
} from '../../../../nodes/shared/personalData/redactor';
import { rulesToHideFields } from '../../../../nodes/shared/personalData/rules';
import { isLinear } from '../../../support/linearWork';

const hiders = {
	masked: personalDataHiderForMode('masked') as PersonalDataHider,
	pseudonym: personalDataHiderForMode('pseudonym', 'a key of 16 or more') as PersonalDataHider,
};
const modes = Object.keys(hiders) as Array<keyof typeof hiders>;
const repeat = (text: string) => (size: number) =>
	text.repeat(Math.ceil(size / text.length)).slice(0, size);

/** Texts in which a search could begin at each character and fail at the end. */
const TEXTS: Array<[name: string, text: (size: number) => string]> = [
	['an address with dots and a blank', (size) => `ab@${'.'.repeat(size)} x`],
	['an address of many parts', (size) => `ab@${repeat('a.')(size)}@`],
	['letters', repeat('a')],
	['digits', repeat('12')],
	['dots and hyphens', repeat('.-')],
	['at signs', repeat('a@')],
	['blanks', (size) => `x${' '.repeat(size)}x`],
	['beginnings of an RFC', repeat('GODE561231')],
	['beginnings of a CURP', repeat('GODE561231HVZ ')],
	['beginnings of a UUID', repeat('0123abcd-')],
	['line breaks', repeat('a\n')],
	['quotes and escapes', repeat('\\"')],
];
describe.each(TEXTS)('a text of %s', (_name, text) => {
	it.each(modes)('is hidden in linear time as documented field: %s', (mode) => {
		const hide = (value: string) =>
			hiders[mode].shaped({ value }, rulesToHideFields('value'), (row) => row);
		expect(isLinear(text, hide)).toBe(true);
	});

	it('is searched in linear time as text of the node', () =>
		expect(isLinear(text, maskIdentifiersInText)).toBe(true));
});

/** Objects with many keys, deep objects, and long lists. */
const OBJECTS: Array<[name: string, make: (size: number) => IDataObject]> = [
	['keys with digits', (size) => numbered(size, (at) => `key 1234 ${at}`)],
	['keys that are no identifiers', (size) => numbered(size, (at) => `MARIA LOPEZ ${at}`)],
	['keys like those of hidden fields', (size) => numbered(size, (at) => `****** ${at}`)],
	[
		'identifiers',
		(size) =>
			numbered(size, (at) => `key_${at.toString(36).replace(/\d/g, 'x')}_${'a'.repeat(at % 7)}`),
	],
	['nesting', (size) => nested(size)],
	['a list', (size) => ({ list: new Array<string>(size).fill('Emma') })],
	['lists in lists', (size) => ({ list: nestedList(size) as IDataObject[] })],
];
describe.each(OBJECTS)('a free-form object of %s', (_name, make) => {
	it.each(modes)('is hidden in linear time: %s', (mode) => {
		const hide = (row: IDataObject) => hiders[mode].shaped(row, 'free', (one) => one);
		expect(isLinear(make, hide, 500)).toBe(true);
	});
});

const numbered = (size: number, name: (at: number) => string): IDataObject =>
	Object.fromEntries(Array.from({ length: size }, (_, at) => [name(at), at]));

function nested(depth: number): IDataObject {
	let row: IDataObject = { name: 'Emma' };
	for (let at = 0; at < depth; at++) row = { row, more: 'Emma' };
	return row;
}

function nestedList(depth: number): unknown {
	let list: unknown = ['Emma'];
	for (let at = 0; at < depth; at++) list = [list, 'Emma'];
	return list;
}
