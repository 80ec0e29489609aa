import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { codeOf } from '../../support/errorCode';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';
import { getCrfParameters, operationParameters, rfcs, taxQuerySandbox } from './support';

describe('Identifier → Check with Simplify off', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);

	const check = async (parameters: INodeParameters) =>
		await sandbox.run(
			{
				...{ resource: 'identifier', operation: 'check', options: { simplify: false } },
				...parameters,
			},
			{ credentials: {} },
		);

	it('needs no credential and sends nothing', async () => {
		const { error } = await check({ rfc: 'GODE561231GR8' });
		expect([error, await sandbox.requests()]).toEqual([undefined, []]);
	});

	it('returns each identifier normalised, with its details', async () => {
		const { items } = await check({
			rfc: ' gode 561231-gr8 ',
			curp: 'sabc560626mdflrn01',
			nss: '12345678903',
			zipCode: '06700',
			state: 'CMX',
		});
		expect(items[0].json).toMatchObject({
			valid: true,
			rfc: { valid: true, normalized: 'GODE561231GR8', type: 'PF', date: '1956-12-31' },
			curp: { valid: true, sex: 'female', birthDate: '1956-06-26', state: { code: 'CMX' } },
			nss: { valid: true, normalized: '12345678903' },
			zipCode: { valid: true, state: { code: 'CMX' } },
			errors: [],
		});
	});

	it('returns each error with its field', async () => {
		const { items } = await check({ rfc: 'GODE561331GR8', zipCode: '06700', state: 'JAL' });
		expect(items[0].json).toMatchObject({
			valid: false,
			errors: [
				{ field: 'RFC', code: 'DATE' },
				{ field: 'Zip Code', code: 'STATE' },
			],
		});
	});

	it('warns where the identifiers do not fit each other', async () => {
		const { items } = await check({
			rfc: 'GODE561231GR8',
			curp: 'SABC560626MDFLRN01',
			birthDate: '1956-12-30',
		});
		const codes = (items[0].json.warnings as Array<{ field: string; code: string }>)
			.filter(({ field }) => field === 'Consistency')
			.map(({ code }) => code);
		expect([items[0].json.valid, codes]).toEqual([
			true,
			expect.arrayContaining(['LETTERS', 'DATE']),
		]);
	});

	it('says so when there is nothing to check', async () => {
		const { error } = await check({});
		expect(codeOf(error)).toBe('nothingToCheck');
	});
});

describe('Identifier → Check of a table', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);
	const [RFC, OTHER] = rfcs(2);
	const byColumn = (...names: string[]): INodeParameters =>
		Object.fromEntries(names.map((name) => [name, `={{ $json.${name} }}`]));
	const check = async (items: IDataObject[], parameters: INodeParameters, isTool = false) =>
		await sandbox.run(operationParameters('identifier', 'check', parameters), {
			credentials: {},
			items,
			isTool,
		});
	const rowsOf = async (...requests: Parameters<typeof check>) => {
		const { items, error } = await check(...requests);
		expect(error).toBeUndefined();
		return items.map(({ json }) => json);
	};

	it('keeps the columns of each row and adds flat ones', async () => {
		const [row] = await rowsOf(
			[{ cliente: 'Uno', rfc: ' gode 561231-gr8 ', alta: '2026-01-02' }],
			byColumn('rfc'),
		);
		expect(Object.entries(row)).toEqual(
			Object.entries({
				cliente: 'Uno',
				alta: '2026-01-02',
				rfc: 'GODE561231GR8',
				valid: true,
				ready: true,
				problem: null,
				warning: null,
				type: 'PF',
				birthDate: '1956-12-31',
			}),
		);
	});

	it.each([
		['', false],
		['  ', false],
		['EISE850314', true],
		['XAXX010101000', true],
		['GODE561331GR8', false],
	])('says that %j cannot be queried, and why', async (rfc, valid) => {
		const [row] = await rowsOf([{ rfc }], byColumn('rfc'));
		expect(row).toMatchObject({ valid, ready: false, problem: expect.any(String) as unknown });
	});

	it('warns of an RFC whose check digit does not fit, which may be queried', async () => {
		const [row] = await rowsOf([{ rfc: 'GODE561231GR9' }], byColumn('rfc'));
		expect(row).toMatchObject({
			...{ valid: true, ready: true, problem: null },
			warning: expect.any(String) as unknown,
		});
	});

	it('goes on behind empty cells, whatever they hold', async () => {
		const items = [{ rfc: RFC }, { rfc: '' }, { rfc: null }, {}, { rfc: OTHER }];
		const rows = await rowsOf(items, byColumn('rfc'));
		expect(rows.map(({ ready }) => ready)).toEqual([true, false, false, false, true]);
	});

	it('finds an unreadable birth date in its row', async () => {
		const rows = await rowsOf(
			[
				{ rfc: RFC, birthDate: '1990-02-31' },
				{ rfc: RFC, birthDate: '' },
			],
			byColumn('rfc', 'birthDate'),
		);
		expect(rows.map(({ ready, problem }) => [ready, problem])).toEqual([
			[false, expect.any(String)],
			[true, null],
		]);
	});

	it('adds columns of the fields that the operator filled in, and of no other', async () => {
		const [row] = await rowsOf([{ rfc: RFC, curp: '', nss: 'mine' }], byColumn('rfc', 'curp'));
		expect(row).toMatchObject({ rfc: RFC, curp: null, nss: 'mine', valid: true, ready: false });
		expect(row).not.toHaveProperty('zipCode');
	});

	it('loses no column that has the name of one of its own', async () => {
		const [row] = await rowsOf(
			[{ tax: RFC, rfc: 'of the group', type: 'A', birthDate: '1990-01-31', inputType: 'B' }],
			{ rfc: '={{ $json.tax }}' },
		);
		expect(row).toMatchObject({
			tax: RFC,
			rfc: RFC,
			inputRfc: 'of the group',
			inputType2: 'A',
			inputType: 'B',
			inputBirthDate: '1990-01-31',
			type: 'PF',
		});
	});

	it.each([
		['with the switch off', { includeOtherFields: false }, false],
		['for an AI agent', {}, true],
	])('leaves the input out %s', async (_when, more, isTool) => {
		const [row] = await rowsOf(
			[{ cliente: 'Uno', rfc: RFC }],
			{ ...byColumn('rfc'), ...more },
			isTool,
		);
		expect(row).toEqual(expect.not.objectContaining({ cliente: 'Uno' }));
	});

	it('expects of an AI agent only what it filled in', async () => {
		const [row] = await rowsOf([{ rfc: RFC, curp: '' }], byColumn('rfc', 'curp'), true);
		expect(row).toMatchObject({ rfc: RFC, ready: true });
		expect(row).not.toHaveProperty('curp');
	});

	it.each([
		['its flat column', { simplify: true }],
		['its object, with Simplify off', { simplify: false }],
	])('feeds a billed query with %s', async (_how, options) => {
		const [row] = await rowsOf([{ rfc: RFC.toLowerCase() }], { ...byColumn('rfc'), options });
		const { items, error } = await sandbox.run(getCrfParameters(), { items: [row] });
		expect([error, items[0].json.rfc]).toEqual([undefined, RFC]);
	});
});
