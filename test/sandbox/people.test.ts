import fc from 'fast-check';
import { isCurp, isNss, isRfc } from '../../contract/identifierChecks';
import { STATE_TABLE, isZipCodeOfState } from '../../contract/creditProfile';
import { People, type Person } from '../../sandbox/data/people/people';
import { curpOf } from '../../sandbox/data/people/curp';
import { addReservedIdentities } from '../../sandbox/data/people/reserved';
import { calculateRfc } from '../../sandbox/data/people/rfc';

const RFC = 'GODE561231GR8';
const EMMA = { name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' };
const BORN = { birthDate: '1956-12-31' };

const two = (value: number) => String(value).padStart(2, '0');
const letter = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ');
const vowel = fc.constantFrom(...'AEIOU');
const consonant = fc.constantFrom(...'BCDFGHJKLMNPQRSTVWXYZ');
const birthday = fc
	.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
	.map(([month, day]) => two(month) + two(day));

/** RFCs of natural persons, Ñ included; their homoclave is not held to any name. */
const rfcs = fc
	.tuple(
		fc.oneof(letter, fc.constant('Ñ')),
		vowel,
		letter,
		letter,
		fc.integer({ min: 0, max: 99 }).map(two),
		birthday,
		fc.stringMatching(/^[1-9A-NP-Z]{2}[\dA]$/),
	)
	.map((parts) => parts.join(''));

/** CURPs of both centuries with their check digit. */
const curps = fc
	.tuple(
		fc.tuple(letter, vowel, letter, letter).map((letters) => letters.join('')),
		fc.integer({ min: 1930, max: 2007 }),
		birthday,
		fc.constantFrom('H', 'M', 'X'),
		fc.constantFrom('AS', 'DF', 'JC', 'NE', 'ZS'),
		fc.tuple(consonant, consonant, consonant).map((letters) => letters.join('')),
	)
	.map(([letters, year, day, sex, state, consonants]) => {
		const start = `${letters}${two(year % 100)}${day}${sex}${state}${consonants}${year < 2000 ? 0 : 'A'}`;
		return [...'0123456789'].map((digit) => start + digit).find(isCurp) as string;
	});

const whoIs = ({ name, firstLastName, secondLastName, birthDate }: Person) => ({
	name,
	firstLastName,
	secondLastName,
	birthDate,
});

describe('a person of the sandbox', () => {
	it('has identifiers and a zip code that are valid', () => {
		fc.assert(
			fc.property(rfcs, (rfc) => {
				const { curp, nss, address } = new People(1).byRfc(rfc);
				expect([isCurp(curp), isNss(nss)]).toEqual([true, true]);
				expect(isZipCodeOfState(address.zipCode, address.state)).toBe(true);
			}),
		);
	});

	it('lives where zip code, municipality, city and state agree, in every state', () => {
		const cities = new Map<string, Set<string>>();
		for (let seed = 0; seed < 2000; seed++) {
			const { address } = new People(seed).byRfc(RFC);
			const place = `${address.state} ${address.municipality} ${address.zipCode.slice(0, 3)}`;
			cities.set(place, (cities.get(place) ?? new Set()).add(address.city));
			expect(isZipCodeOfState(address.zipCode, address.state)).toBe(true);
		}
		expect([...cities.values()].every(({ size }) => size === 1)).toBe(true);
		expect(new Set([...cities.keys()].map((place) => place.slice(0, 3)))).toEqual(
			new Set(STATE_TABLE.map(({ iso }) => iso)),
		);
	});

	it('keeps the requested RFC and CURP', () => {
		fc.assert(
			fc.property(rfcs, curps, (rfc, curp) => {
				const people = new People(1);
				expect([people.byRfc(rfc).rfc, people.byCurp(curp).curp]).toEqual([rfc, curp]);
			}),
		);
	});

	it('is equal by RFC and by the CURP that belongs to it', () => {
		fc.assert(
			fc.property(rfcs, (rfc) => {
				const people = new People(1);
				const person = people.byRfc(rfc);
				expect(people.byCurp(person.curp)).toEqual(person);
			}),
		);
	});

	it('has a name that gives the CURP, its consonants included', () => {
		fc.assert(
			fc.property(curps, (curp) => {
				const person = new People(1).byCurp(curp);
				const given = curpOf({ ...person, state: person.birthState });
				expect(given.slice(4, 16)).toBe(curp.slice(4, 16));
			}),
		);
	});

	it('has a name that gives the RFC when derived from a CURP', () => {
		fc.assert(
			fc.property(curps, (curp) => {
				const { rfc, birthDate, ...names } = new People(1).byCurp(curp);
				const [year, month, day] = birthDate.split('-').map(Number);
				expect(rfc).toBe(calculateRfc({ ...names, year, month, day }));
				expect(isRfc(rfc)).toBe(true);
			}),
		);
	});

	it.each([
		['2031-06-15', '130614', '2013-06-14'],
		['2031-06-15', '130616', '1913-06-16'],
		['2026-11-28', '081128', '2008-11-28'],
	])('is on %s of the century in which %s is of age', (today, letters, birthDate) => {
		const people = new People(1, () => Date.parse(today));
		expect(people.byRfc(`GODE${letters}GR8`).birthDate).toBe(birthDate);
	});

	it('is a company that is founded already, on the day of the sandbox', () => {
		const people = new People(1, () => Date.parse('2031-06-15'));
		const founded = ['310615', '310616'].map((date) => people.company(`ABC${date}AB1`).constituted);
		expect(founded).toEqual(['2031-06-15', '1931-06-16']);
	});

	it('keeps its name across a restart that begins with the CURP', () => {
		const before = new People(1).byRfc(RFC);
		expect(whoIs(new People(1).byCurp(before.curp))).toEqual(whoIs(before));
	});

	it('is another one with another seed', () => {
		expect(whoIs(new People(2).byRfc(RFC))).not.toEqual(whoIs(new People(1).byRfc(RFC)));
	});
});

describe('a person whose RFC was calculated', () => {
	it('keeps the name for the CURP, and takes sex and state from it', () => {
		const people = new People(1);
		people.withName({ ...EMMA, ...BORN });
		const person = people.byCurp('GODE561231XHGMZM01');
		expect(person).toMatchObject({ ...EMMA, ...BORN, rfc: RFC, sex: 'X', birthState: 'HG' });
	});

	it('is not who has a CURP that the name cannot give', () => {
		const people = new People(1);
		people.withName({ ...EMMA, ...BORN });
		const other = [...'0123456789']
			.map((digit) => `GODE561231MDFDRL0${digit}`)
			.find(isCurp) as string;
		expect(whoIs(people.byCurp(other))).not.toMatchObject(EMMA);
	});
});

describe('reserved identities', () => {
	const reserved = addReservedIdentities(new People(1));

	it('are valid', () => {
		const valid = reserved.map(
			({ rfc, curp, companyRfc }) => isRfc(rfc) && isCurp(curp) && isRfc(companyRfc),
		);
		expect(valid).toEqual([true, true, true, true, true]);
	});

	it('differ from each other', () => {
		const identifiers = reserved.flatMap(({ rfc, curp, companyRfc }) => [rfc, curp, companyRfc]);
		expect(new Set(identifiers).size).toBe(15);
	});

	it('are the same with every seed', () => {
		expect(addReservedIdentities(new People(2))).toEqual(reserved);
	});
});
