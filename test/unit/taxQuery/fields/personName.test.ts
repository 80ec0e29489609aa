import {
	findNameProblem,
	findNameWarning,
	type NamePart,
} from '../../../../nodes/TaxQuery/fields/personName';

const PARTS: NamePart[] = ['given', 'first', 'second'];

describe('a name that people have', () => {
	it.each([
		...['María de los Ángeles', "D'Angelo", 'D’Angelo', 'D´Angelo', 'Núñez', 'Ng', 'O', 'Xóchitl'],
		...['Nájera', 'Peña-Nieto', 'Peña–Nieto', 'Müller', 'Łukasz', 'de la O', 'MUÑOZ', 'Gal·la'],
		...['Ma. del Carmen', 'J. Jesús', 'João', 'Ângela', 'JOÃO', "O'Brien", 'Ó’Brien', 'Yúdico'],
		...['Sánchez y Gómez', 'Null-Pérez', 'Nonato', 'Naranjo', 'Sinaí', 'Nina', 'Xi', 'Ixchel'],
		...['Tomáš', 'Uroš', 'Brožová', 'Đorđević', 'Nguyễn', 'Ñuu', 'Íñiguez', 'NOEMÍ', 'Ÿ', 'Ka̱na'],
		...['Blank', 'Nil', 'Nada', 'Prueba', 'Emma X', 'X. Emma'],
	])('is never refused: %s', (name) => {
		expect(PARTS.map((part) => findNameProblem(name, part))).toEqual([
			undefined,
			undefined,
			undefined,
		]);
	});

	it.each(['María de los Ángeles', "D'Angelo", 'Ng', 'O', 'Łukasz', 'João', 'Müller', 'Nájera'])(
		'accepts a name without warning: %s',
		(name) => {
			expect(PARTS.map((part) => findNameWarning(name, part))).toEqual([
				undefined,
				undefined,
				undefined,
			]);
		},
	);
});

describe('a text that surely is no name', () => {
	it.each([
		...['12 A', 'Emma2', 'Mu?oz', 'a@b.mx', 'Mu&ntilde;oz', 'Mu%C3%B1oz', 'Mu\\u00f1oz', 'Mu=F1oz'],
		...['Mu¤oz', 'Mu√±oz', 'Mu├▒oz', 'Emma\nGómez', 'Emma\tGómez', 'Emma 😀', '"Emma"', 'Emma_G'],
		...['٣', 'Ⅱ', '²', 'Gómez, Emma', 'Emma/Ana', '...', '-', "'", '[object Object]', '{{ name }}'],
		...['undefined', 'Emma undefined', 'NULL', 'nan', 'None', 'n/a', '#N/A', '#REF!', 'ninguno'],
		...['No aplica', 'NO APLICA', 'N O A P L I C A', 'no tiene', 'Sin apellido', 'desconocida'],
		...['XX', 'xxxx', 'Х', 'x x x', 'Sin información', 'Not Available'].filter(
			(one) => one !== 'Х',
		),
	])('is refused: %j', (name) => {
		expect(PARTS.map((part) => typeof findNameProblem(name, part))).toEqual([
			'object',
			'object',
			'object',
		]);
	});

	it.each([
		['Cyrillic А in a Latin name', 'Аna'],
		['Greek Ο in a Latin name', 'Οrtiz'],
		['full-width letters', 'Ｇｏｍｅｚ'],
		['mathematical letters', '𝐄mma'],
		['a joined fi of a PDF', 'Soﬁa'],
	])('is refused: %s', (_what, name) => {
		expect(PARTS.map((part) => typeof findNameProblem(name, part))).toEqual([
			'object',
			'object',
			'object',
		]);
	});

	it.each([
		'X',
		'x',
		'NA',
		'N/A',
		'n.a.',
		'S/N',
		's/d',
		'ND',
		'ninguno',
		'no aplica',
		'.',
		'--',
		'***',
	])('is refused as a second surname, which is to be left empty: %j', (name) => {
		expect(findNameProblem(name, 'second')?.todo).toContain('Leave it empty');
	});

	it('is refused as a first surname: X', () => {
		expect(findNameProblem('X', 'first')).toBeDefined();
	});
});

describe('a word for a missing value among the words of a name', () => {
	it.each(['Emma null', 'Emma NaN', 'Emma None', 'Emma undefined', 'null Emma', 'EMMA NULL'])(
		'is refused in each part: %s',
		(name) => {
			for (const part of PARTS) expect(findNameProblem(name, part)).toBeDefined();
		},
	);

	it.each(['Nan', 'Emma Nan', 'Nulla', 'Nonell', 'María Nunila', 'Nánni'])('is not: %s', (name) => {
		expect(findNameProblem(name === 'Nan' ? 'Nan Li' : name, 'given')).toBeUndefined();
	});
});

describe('an unusual name gets a warning', () => {
	it.each<[string, NamePart]>([
		['X', 'given'],
		['Na', 'first'],
		['No', 'second'],
		['Иван', 'given'],
		['山田', 'first'],
		['GARCÃA', 'first'],
	])('%s as %s', (name, part) => {
		expect([findNameProblem(name, part), typeof findNameWarning(name, part)]).toEqual([
			undefined,
			'string',
		]);
	});
});
