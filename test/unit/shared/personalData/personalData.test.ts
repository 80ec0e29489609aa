import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	readFieldsToKeep,
	readPersonalDataMode,
} from '../../../../nodes/shared/personalData/options';
import {
	maskIdentifiersInText,
	personalDataHiderForMode,
	type PersonalDataHider,
} from '../../../../nodes/shared/personalData/redactor';
import {
	rulesToHideFields,
	buildShownFieldRules,
	type PersonalDataRule,
} from '../../../../nodes/shared/personalData/rules';

const RFC = 'GODE561231GR8';
const CURP = 'GODE561231HVZRSN09';
const KEY = 'a key of 16 or more';
const identity = (row: IDataObject) => row;
const masked = (keep: string[] = []) =>
	personalDataHiderForMode('masked', undefined, keep) as PersonalDataHider;
const pseudonyms = (key = KEY) => personalDataHiderForMode('pseudonym', key) as PersonalDataHider;
const mask = (row: IDataObject, rule: PersonalDataRule, keep: string[] = []) =>
	masked(keep).shaped(row, rule, identity);

describe('Personal Data: a documented field', () => {
	it.each([
		['an RFC', RFC, 'GODE5612******'],
		["a company's RFC", 'ABC150314XY9', 'ABC1503******'],
		['a CURP', CURP, 'GODE5612******'],
		['an RFC without homoclave', 'GODE561231', 'GODE5612******'],
		['a name', 'María José', 'M*** J***'],
		['a name of few letters', 'A de Li', '*** *** ***'],
		['an e-mail address', 'eva@example.com', 'e***@example.com'],
		['a short e-mail address', 'e@example.com', 'e***'],
		['a phone', '55 1234 5678', '******78'],
		['a phone as number', 5512345678, '******78'],
		['a zip code', '06600', '******'],
		['a birth date', '1956-12-31', '1956'],
		['a birth date of the registry', '31/12/1956', '1956'],
		['a link to a file', 'https://files.example.com/ine.pdf', '******'],
	])('that is personal: %s', (_, value, hidden) =>
		expect(mask({ value }, rulesToHideFields('value'))).toEqual({ value: hidden }),
	);

	it.each([[7], ['SUCCESS'], ['2026-11-21T00:00:00.000Z'], [null], [['PF', 'vip']]])(
		'that is shown: %j',
		(value) => expect(mask({ value }, buildShownFieldRules('value'))).toEqual({ value }),
	);

	it('hides an object where a text or number is documented', () =>
		expect(mask({ id: { who: 'Emma' } }, buildShownFieldRules('id'))).toEqual({
			id: { who: '******' },
		}));

	it('depends on the object that holds it, where its rule does', () => {
		const rule: PersonalDataRule = {
			...buildShownFieldRules('type'),
			value: ({ type }) => (type === 'A' ? 'shown' : 'free'),
		};
		expect(['A', 'B'].map((type) => mask({ type, value: 'Emma' }, rule).value)).toEqual([
			'Emma',
			'******',
		]);
	});

	it('hides what is not documented beside it', () =>
		expect(mask({ id: 1, tutor: 'Emma' }, buildShownFieldRules('id'))).toEqual({
			id: 1,
			tutor: '******',
		}));
});

describe('Personal Data: a free-form object', () => {
	it('hides every text and number, except years, booleans, null and empty values', () => {
		const document = {
			demandado: 'Emma Gómez',
			saldo: 1250.5,
			creado: '2019-05-06T10:00:00Z',
			nacimiento: '6/5/1990',
			activo: true,
			aval: null,
			nota: '',
			testigos: ['Luis', { madre: 'Ana', hijos: [['Eva']] }],
		};
		expect(mask({ document }, {})).toEqual({
			document: {
				demandado: '******',
				saldo: '******',
				creado: '2019',
				nacimiento: '1990',
				activo: true,
				aval: null,
				nota: '',
				testigos: ['******', { madre: '******', hijos: [['******']] }],
			},
		});
	});

	it('keeps field names that are identifiers of programs, without a number', () => {
		const document = {
			'Primer apellido': 1,
			'MARIA LOPEZ': 50,
			telefono_2: 1,
			'2': 1,
			[RFC]: 1,
			'eva@example.com': 1,
			'55-1234-5678': 1,
			['x'.repeat(81)]: 1,
		};
		expect(Object.keys(mask(document, 'free'))).toEqual([
			...['******', '****** 2', '****** 3', 'telefono_2'],
			...['****** 4', '****** 5', '****** 6', '****** 7'],
		]);
	});

	it('hides what is nested too deep to be gone through', () => {
		let deep: IDataObject = { name: 'Emma' };
		for (let depth = 0; depth < 50_000; depth++) deep = { deep };
		expect(JSON.stringify(mask(deep, 'free'))).not.toContain('Emma');
	});

	it('shows the Fields to Keep, with all that is in them', () => {
		const document = { monto: 5, plan: { meses: 12, aval: 'Luis' }, filas: [{ monto: 6, x: 'y' }] };
		expect(mask({ document }, {}, ['monto', 'plan'])).toEqual({
			document: { ...document, filas: [{ monto: 6, x: '******' }] },
		});
	});

	it('of which no rule was named is hidden whole, but not what came out before', () => {
		const protection = masked();
		const safe = protection.shaped({ id: 1 }, buildShownFieldRules('id'), identity);
		expect([protection.out(safe), protection.out({ id: 1 })]).toEqual([
			{ id: 1 },
			{ id: '******' },
		]);
	});
});

describe('no text or number of a document is found in what comes out', () => {
	const keys = fc.constantFrom(
		...'demandado madre testigos numeroCuenta iban tutor aval observaciones nota Primer_apellido importe'.split(
			' ',
		),
		...'defendant mother witnesses accountNumber guardian remarks amount status state type name id'.split(
			' ',
		),
	);
	const text = fc.oneof(
		fc.stringMatching(/^[a-zñáé]{7,12}( [A-ZÑ][a-zñ]{4,9}){0,3}$/),
		fc.stringMatching(/^[A-Z]{4}[5-9]\d[01][1-9][0-2]\d[A-Z]\d[A-Z]$/),
		fc.stringMatching(/^[a-z]{4,9}@[g-z]{4,9}\.com$/),
		fc.stringMatching(/^55\d{8}$/),
		fc
			.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
			.map((date) => date.toISOString()),
	);
	const number = fc.oneof(
		fc.integer({ min: 10_000_000, max: 99_999_999 }),
		fc.integer({ min: 1_000_000_001, max: 9_999_999_999 }).map((cents) => cents / 100),
	);
	const { document } = fc.letrec((tie) => ({
		document: fc.dictionary(keys, tie('value'), { maxKeys: 6 }),
		value: fc.oneof(
			{ maxDepth: 4 },
			text,
			number,
			fc.boolean(),
			fc.constant(null),
			fc.array(tie('value'), { maxLength: 3 }),
			tie('document'),
		),
	})) as { document: fc.Arbitrary<IDataObject> };

	const leaves = (value: unknown): string[] =>
		typeof value === 'object' && value !== null
			? Object.values(value).flatMap(leaves)
			: typeof value === 'string' || typeof value === 'number'
				? [String(value)]
				: [];

	it.each<[string, () => PersonalDataHider]>([
		['Masked', masked],
		['Pseudonym', pseudonyms],
	])('%s', (_, make) => {
		fc.assert(
			fc.property(document, fc.constantFrom<PersonalDataRule>('free', {}), (row, rule) => {
				const reported = leaves(make().shaped({ row }, rule, identity)).join('\n');
				expect(leaves(row).filter((one) => reported.includes(one))).toEqual([]);
			}),
			{ numRuns: 2000 },
		);
	});

	it('except under Fields to Keep', () => {
		fc.assert(
			fc.property(document, text, (row, stored) => {
				const safe = mask({ ...row, keep: { visible: stored } }, 'free', ['keep']);
				expect(safe.keep).toEqual({ visible: stored });
				const reported = leaves({ ...safe, keep: null }).join('\n');
				expect(leaves({ ...row }).filter((one) => reported.includes(one))).toEqual([]);
			}),
			{ numRuns: 500 },
		);
	});
});

describe('Personal Data: a text that the node wrote', () => {
	it.each([
		[`rfc=${RFC}&curp=${CURP}&next`, 'rfc=GODE5612******&curp=GODE5612******&next'],
		[`${RFC} and ${CURP.toLowerCase()}, eva@example.com`, 'GODE5612****** and gode5612******, e***@example.com'],
		['gode-561231-gr8, GODE 561231 GR8 and GODE-561231', 'gode5612******, GODE5612****** and GODE5612******'],
		['LOAN261122', 'LOAN261122'],
		['Query crf-261122-007 of LOAN-261122-1', 'Query crf-261122-007 of LOAN-261122-1'],
		['a1b2c3d4-1111-4222-8333-abc900101abc', 'a1b2c3d4-1111-4222-8333-abc900101abc'],
	])('%s', (text, safe) => {
		expect([maskIdentifiersInText(text), mask({ warnings: [{ text }] }, 'written')]).toEqual([
			safe,
			{ warnings: [{ text: safe }] },
		]);
	}); // prettier-ignore

	it.each(['masked', 'pseudonym'] as const)('no identifier is left: %s', (mode) => {
		const protection = personalDataHiderForMode(mode, KEY) as PersonalDataHider;
		const identifier = fc.constantFrom(RFC, CURP, 'ABC150314XY9');
		const beside = fc.constantFrom(' ', ',', '&', '=', '?', '"', '/', '<');
		fc.assert(
			fc.property(fc.string(), identifier, beside, (around, secret, by) => {
				const note = `${around} ${secret}, ${around}${by}${secret}${by}${around}`;
				expect(protection.text(note)).not.toContain(secret);
			}),
			{ numRuns: 1000 },
		);
	});
});

describe('Personal Data: Pseudonym', () => {
	it('gives equal values equal codes, regardless of field and notation', () => {
		const row = {
			rfc: RFC,
			document: { RFC: ` ${RFC.toLowerCase()}`, clave: 'GODE-561231-GR8' },
			[RFC]: true,
		};
		const safe = pseudonyms().shaped(row, rulesToHideFields('rfc'), identity);
		const code = safe.rfc as string;
		expect(code).toMatch(/^p_[0-9a-f]{24}$/);
		expect(safe).toEqual({ rfc: code, document: { RFC: code, clave: code }, [code]: true });
	});

	it('gives others under another key', () =>
		expect(pseudonyms(`${KEY}!`).text(RFC)).not.toBe(pseudonyms().text(RFC)));

	it.each([undefined, '', 'short'])('is refused with the key %j', (key) =>
		expect(() => personalDataHiderForMode('pseudonym', key)).toThrow('Pseudonyms need'),
	);
});

describe('the options', () => {
	it('are full only if nothing else was added', () => {
		expect(readPersonalDataMode({})).toBe('full');
	});

	it.each([undefined, null, '', 'none', 1])('refuse %j as Personal Data', (personalData) =>
		expect(() => readPersonalDataMode({ personalData } as IDataObject)).toThrow("'Personal Data'"),
	);

	it.each<[unknown, string[]]>([
		[
			[' monto ', 'plan'],
			['monto', 'plan'],
		],
		['monto, plan', ['monto', 'plan']],
		[undefined, []],
	])('take %j as Fields to Keep', (fieldsToKeep, names) =>
		expect(readFieldsToKeep({ fieldsToKeep } as IDataObject)).toEqual(names),
	);

	it.each([null, 5, [{}]])('refuse %j as Fields to Keep', (fieldsToKeep) =>
		expect(() => readFieldsToKeep({ fieldsToKeep } as IDataObject)).toThrow("'Fields to Keep'"),
	);
});
