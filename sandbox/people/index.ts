import { es_MX, type Faker } from '@faker-js/faker';
import { STATES } from '../../contract/creditProfile';
import { fakerFor } from '../creditProfile/random';
import { curpOf } from './curp';
import { calculateRfc, plain } from './rfc';
import { CURP_STATES } from './states';

export interface Address {
	street: string;
	exteriorNumber: string;
	neighborhood: string;
	municipality: string;
	city: string;
	/** ISO 3166-2:MX without MX-. */
	state: string;
	zipCode: string;
}

export interface Person {
	name: string;
	firstLastName: string;
	secondLastName: string;
	/** ISO date. */
	birthDate: string;
	sex: 'H' | 'M' | 'X';
	/** Two-letter code of the CURP. */
	birthState: string;
	rfc: string;
	curp: string;
	nss: string;
	email: string;
	address: Address;
}

export interface Company {
	rfc: string;
	legalName: string;
	/** ISO date. */
	constituted: string;
	email: string;
	address: Address;
	representative: Person;
}

const SURNAMES = es_MX.person?.last_name?.generic ?? [];
const FEMALE = es_MX.person?.first_name?.female ?? [];
const MALE = es_MX.person?.first_name?.male ?? [];

/** One of the names that fit; if none does, one made of the letters. */
function nameThat(
	faker: Faker,
	names: string[],
	letters: string,
	fits: (plainName: string) => boolean,
) {
	const fitting = names.filter((name) => /^\p{L}{3,}$/u.test(name) && fits(plain(name)));
	if (fitting.length > 0) return faker.helpers.arrayElement(fitting);
	return `${letters[0]}${letters.slice(1).toLowerCase()}ndrade`;
}

/** Whether a surname has this initial and this first vowel after it, as an identifier's first two letters want. */
const fitsSurname = (initial: string, vowel: string) => (name: string) =>
	name[0] === initial && (/[AEIOU]/.exec(name.slice(1))?.[0] ?? 'X') === vowel;

function luhnNss(faker: Faker, birthDate: string): string {
	const start = `${faker.string.numeric({ length: 2, allowLeadingZeros: false })}${faker.string.numeric(2)}${birthDate.slice(2, 4)}${faker.string.numeric(4)}`;
	const sum = [...start].reduce((total, digit, index) => {
		const product = Number(digit) * (index % 2 === 0 ? 1 : 2);
		return total + (product > 9 ? product - 9 : product);
	}, 0);
	return start + String((10 - (sum % 10)) % 10);
}

function addressIn(faker: Faker, iso: string): Address {
	const [min, max] = (STATES.find((state) => state.iso === iso) ?? STATES[6]).zipPrefixes;
	return {
		street: faker.location.street(),
		exteriorNumber: String(faker.number.int({ min: 1, max: 990 })),
		neighborhood: faker.helpers.arrayElement(['Centro', 'Del Valle', 'Roma Norte', 'Las Águilas']),
		municipality: faker.location.city(),
		city: faker.location.city(),
		state: iso,
		zipCode: String(faker.number.int({ min, max })).padStart(2, '0') + faker.string.numeric(3),
	};
}

/** YYMMDD of an RFC as an ISO date: of this century if that is at least 18 years ago. */
function dateOf(yymmdd: string, century?: string): string {
	const [year, month, day] = yymmdd.match(/../g) ?? [];
	const first = century ?? (Number(year) <= 7 ? '20' : '19');
	return `${first}${year}-${month}-${day}`;
}

const splitDate = (iso: string) => {
	const [year, month, day] = iso.split('-').map(Number);
	return { year, month, day };
};

/** Letters and date that the RFC and the CURP of one person share. */
const basicOf = (identifier: string) => identifier.slice(0, 10).replace(/[Ñ&]/g, 'X');

/**
 * Everybody whom the sandbox knows. A person is derived from an identifier and the seed; RFC and CURP of one person
 * lead to each other, and whoever was calculated from a name keeps that name.
 */
export class People {
	private readonly persons = new Map<string, Person>();

	constructor(private readonly seed: number) {}

	/** The person with this name and birth date, made known. */
	withName(
		input: Pick<Person, 'name' | 'firstLastName' | 'secondLastName' | 'birthDate'> &
			Partial<Pick<Person, 'sex' | 'birthState'>>,
	): Person {
		const rfc = calculateRfc({ ...input, ...splitDate(input.birthDate) });
		const known = this.persons.get(rfc);
		if (known && known.name === input.name) return known;
		const faker = fakerFor(this.seed, `person ${rfc}`);
		const sex = input.sex ?? faker.helpers.arrayElement(['H', 'M'] as const);
		const birthState = input.birthState ?? faker.helpers.arrayElement(Object.keys(CURP_STATES));
		const curp = curpOf({ ...input, sex, state: birthState });
		return this.remember({ ...this.details(faker, { ...input, birthState }), sex, rfc, curp });
	}

	/** The person with this RFC (13 characters). */
	byRfc(rfc: string): Person {
		const known = this.persons.get(rfc);
		if (known) return known;
		const faker = fakerFor(this.seed, `person ${rfc}`);
		const sex = faker.helpers.arrayElement(['H', 'M'] as const);
		const birthState = faker.helpers.arrayElement(Object.keys(CURP_STATES));
		const birthDate = dateOf(rfc.slice(4, 10));
		const names = this.namesFor(faker, rfc, sex);
		const person = this.details(faker, { ...names, birthDate, birthState });
		const curp = curpOf({ ...person, sex, state: birthState });
		return this.remember({ ...person, sex, rfc, curp });
	}

	/** The person with this CURP. */
	byCurp(curp: string): Person {
		const known = this.persons.get(curp) ?? this.persons.get(basicOf(curp));
		if (known) return this.remember({ ...known, curp });
		const faker = fakerFor(this.seed, `person ${curp}`);
		const sex = curp[10] as Person['sex'];
		const birthState = curp.slice(11, 13);
		const birthDate = dateOf(curp.slice(4, 10), /\d/.test(curp[16]) ? '19' : '20');
		const names = this.namesFor(faker, curp, sex);
		const person = this.details(faker, { ...names, birthDate, birthState });
		const rfc = calculateRfc({ ...names, ...splitDate(birthDate) });
		return this.remember({ ...person, sex, rfc, curp });
	}

	/** The company with this RFC (12 characters). */
	company(rfc: string): Company {
		const faker = fakerFor(this.seed, `company ${rfc}`);
		const state = faker.helpers.arrayElement(STATES).iso;
		const representative = `${faker.helpers.arrayElement(['GOMA', 'LOPE', 'SARA', 'HEMJ'])}${faker.number.int({ min: 50, max: 99 })}0415`;
		return {
			rfc,
			legalName: `${faker.company.name().toUpperCase()} SA DE CV`,
			constituted: dateOf(rfc.slice(3, 9), Number(rfc.slice(3, 5)) <= 26 ? '20' : '19'),
			email: `contacto@${rfc.toLowerCase().replace(/[^a-z0-9]/g, '')}.example`,
			address: addressIn(faker, state),
			representative: this.withBasic(representative),
		};
	}

	private withBasic(basic: string): Person {
		const faker = fakerFor(this.seed, `person ${basic}`);
		const sex = faker.helpers.arrayElement(['H', 'M'] as const);
		return this.withName({
			...this.namesFor(faker, basic, sex),
			birthDate: dateOf(basic.slice(4, 10)),
			sex,
		});
	}

	private namesFor(faker: Faker, identifier: string, sex: Person['sex']) {
		const letters = identifier.replace(/&/g, 'X');
		return {
			firstLastName: nameThat(
				faker,
				SURNAMES,
				letters.slice(0, 2),
				fitsSurname(letters[0], letters[1]),
			),
			secondLastName: nameThat(faker, SURNAMES, `${letters[2]}a`, (name) => name[0] === letters[2]),
			name: nameThat(
				faker,
				sex === 'M' ? FEMALE : MALE,
				`${letters[3]}a`,
				(name) => name[0] === letters[3],
			),
		};
	}

	private details<T extends { birthDate: string; birthState: string }>(faker: Faker, person: T) {
		return {
			...person,
			nss: luhnNss(faker, person.birthDate),
			email: `persona.${faker.string.alphanumeric(6).toLowerCase()}@sandbox.example`,
			address: addressIn(faker, CURP_STATES[person.birthState]?.iso ?? 'CMX'),
		};
	}

	private remember(person: Person): Person {
		for (const key of [person.rfc, person.curp, basicOf(person.rfc), basicOf(person.curp)]) {
			this.persons.set(key, person);
		}
		return person;
	}
}
