import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { curpOf } from '../../sandbox/data/people/curp';
import { calculateRfc, type RfcInput } from '../../sandbox/data/people/rfc';

interface Vectors {
	rfcCalc: Array<RfcInput & { expected: string }>;
	curpCalc: Array<
		RfcInput & { sex: 'H' | 'M' | 'X'; state: string; expected: string; source: string }
	>;
}
const vectors = JSON.parse(
	readFileSync(join(__dirname, '..', 'fixtures', 'identifier-vectors.json'), 'utf8'),
) as Vectors;

describe("the sandbox's RFC calculator", () => {
	it.each(vectors.rfcCalc.map((vector) => [vector.expected, vector] as const))(
		'calculates %s, homoclave and check digit included',
		(expected, { name, firstLastName, secondLastName, day, month, year }) => {
			expect(calculateRfc({ name, firstLastName, secondLastName, day, month, year })).toBe(
				expected,
			);
		},
	);

	it('keeps Ñ, as the tax authority does', () => {
		const born = { day: 1, month: 2, year: 1980 };
		const rfc = calculateRfc({
			name: 'Ana',
			firstLastName: 'Ñandú',
			secondLastName: 'Ríos',
			...born,
		});
		expect(rfc.slice(0, 10)).toBe('ÑARA800201');
	});
});

describe("the sandbox's CURPs", () => {
	it.each(vectors.curpCalc.map((vector) => [vector.expected, vector] as const))(
		'agree with the registry on %s',
		(expected, { day, month, year, ...person }) => {
			const two = (value: number) => String(value).padStart(2, '0');
			expect(curpOf({ ...person, birthDate: `${year}-${two(month)}-${two(day)}` })).toBe(expected);
		},
	);
});
