import { es_MX, type Faker } from '@faker-js/faker';
import { fakerFor } from '../faker';
import { consonantOf, curpOf, vowelOf } from './curp';
import { PLACES } from './places';
import { calculateRfc, toPlainCapitals } from './rfc';
import { STATES_BY_CURP_CODE } from './states';

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

type Named = Pick<Person, 'name' | 'firstLastName' | 'secondLastName' | 'birthDate'>;
type Open = Pick<Person, 'sex' | 'birthState' | 'curp'>;

export interface Company {
	rfc: string;
	legalName: string;
	/** ISO date. */
	constituted: string;
	email: string;
	address: Address;
	representative: Person;
}

/** Names of one word, each with the letters that identifiers are made of. */
const withLetters = (names: string[] = []) =>
	names
		.filter((name) => /^\p{L}{3,}$/u.test(name))
		.map((name) => ({ name, letters: toPlainCapitals(name) }));
type NameWithLetters = ReturnType<typeof withLetters>[number];

const SURNAMES = withLetters(es_MX.person?.last_name?.generic);
const FEMALE = withLetters(es_MX.person?.first_name?.female);
const MALE = withLetters(es_MX.person?.first_name?.male);

/** Identifiers are made of these letters of a name; what is left out may be any. */
interface Letters {
	initial: string;
	/** First vowel after the initial; X if there is none. */
	vowel?: string;
	/** First consonant after the initial. */
	consonant?: string;
}

function nameWith(
	faker: Faker,
	names: NameWithLetters[],
	{ initial, vowel, consonant }: Letters,
): string {
	const fitting = names.filter(
		({ letters }) =>
			letters[0] === initial &&
			(!vowel || vowelOf(letters) === vowel) &&
			(!consonant || consonantOf(letters) === consonant),
	);
	if (fitting.length > 0) return faker.helpers.arrayElement(fitting).name;
	const middle = vowel === 'X' ? '' : (vowel ?? 'a');
	const end = vowel === 'X' ? '' : 'es';
	return initial + `${middle}${consonant ?? 'l'}${end}`.toLowerCase();
}

const sexBy = (faker: Faker): Person['sex'] => faker.helpers.arrayElement(['H', 'M'] as const);

function luhnNss(faker: Faker, birthDate: string): string {
	const start = `${faker.string.numeric({ length: 2, allowLeadingZeros: false })}${faker.string.numeric(2)}${birthDate.slice(2, 4)}${faker.string.numeric(4)}`;
	const sum = [...start].reduce((total, digit, index) => {
		const product = Number(digit) * (index % 2 === 0 ? 1 : 2);
		return total + (product > 9 ? product - 9 : product);
	}, 0);
	return start + String((10 - (sum % 10)) % 10);
}

function addressIn(faker: Faker, state: string): Address {
	const { municipality, city, zipStart } = faker.helpers.arrayElement(PLACES[state]);
	return {
		street: faker.location.street(),
		exteriorNumber: String(faker.number.int({ min: 1, max: 990 })),
		neighborhood: faker.helpers.arrayElement(['Centro', 'Del Valle', 'Roma Norte', 'Las Águilas']),
		municipality,
		city,
		state,
		zipCode: zipStart + faker.string.numeric(2),
	};
}

const ADULT = 18;

/** YYMMDD of an identifier as an ISO date of a century. */
const dateOf = (yymmdd: string, century: '19' | '20') =>
	`${century}${yymmdd.match(/../g)?.join('-')}`;

const splitDate = (iso: string) => {
	const [year, month, day] = iso.split('-').map(Number);
	return { year, month, day };
};

/** Letters and date that the RFC and the CURP of one person share. */
const basicOf = (identifier: string) => identifier.slice(0, 10).replace(/[Ñ&]/g, 'X');

/**
 * A person is derived from an identifier and the seed. RFC and CURP of one person lead to each other, and a person
 * calculated from a name keeps that name.
 */
export class People {
	private readonly persons = new Map<string, Person>();

	/** `now`: the services' clock. */
	constructor(
		private readonly seed: number,
		private readonly now: () => number = Date.now,
	) {}

	/** YYMMDD of an RFC as an ISO date: of this century if that is at least so many years ago. */
	private pastDate(yymmdd: string, years: number): string {
		const latest = new Date(this.now());
		latest.setUTCFullYear(latest.getUTCFullYear() - years);
		const recent = dateOf(yymmdd, '20');
		return recent <= latest.toISOString().slice(0, 10) ? recent : dateOf(yymmdd, '19');
	}

	/** The person with this name and birth date, made known. */
	withName(person: Named & Partial<Pick<Open, 'sex' | 'birthState'>>): Person {
		const rfc = calculateRfc({ ...person, ...splitDate(person.birthDate) });
		const known = this.persons.get(rfc);
		if (known && known.name === person.name) return known;
		return this.complete(person, rfc);
	}

	/** The person with this RFC (13 characters). */
	byRfc(rfc: string): Person {
		const known = this.persons.get(rfc);
		if (known) return known;
		const basic = basicOf(rfc);
		const namesake = this.persons.has(basic);
		const faker = fakerFor(this.seed, `person ${namesake ? rfc : basic}`);
		const birthDate = this.pastDate(rfc.slice(4, 10), ADULT);
		return this.complete(this.named(faker, rfc.slice(0, 4), { birthDate }), rfc);
	}

	/** The person with this CURP: whoever is known and may have it, else somebody whose name gives it. */
	byCurp(curp: string): Person {
		const known = this.persons.get(curp);
		if (known) return known;
		const readable = {
			curp,
			sex: curp[10] as Person['sex'],
			birthState: curp.slice(11, 13),
			birthDate: dateOf(curp.slice(4, 10), /\d/.test(curp[16]) ? '19' : '20'),
		};
		const mayHaveIt = (person: Named) =>
			curpOf({ ...person, ...readable, state: readable.birthState }).slice(0, 16) ===
			curp.slice(0, 16);
		const basic = basicOf(curp);
		const namesake = this.persons.get(basic);
		if (namesake?.birthDate === readable.birthDate && mayHaveIt(namesake)) {
			return this.remember({ ...namesake, ...readable });
		}
		const usual = this.named(fakerFor(this.seed, `person ${basic}`), curp.slice(0, 4), {
			birthDate: readable.birthDate,
		});
		const person =
			!namesake && usual.sex === readable.sex && mayHaveIt(usual)
				? usual
				: this.named(fakerFor(this.seed, `person ${curp}`), curp, readable);
		const rfc = calculateRfc({ ...person, ...splitDate(person.birthDate) });
		return this.complete({ ...person, ...readable }, rfc);
	}

	/** The company with this RFC (12 characters). */
	company(rfc: string): Company {
		const faker = fakerFor(this.seed, `company ${rfc}`);
		const state = faker.helpers.arrayElement(Object.keys(PLACES));
		const representative = `${faker.helpers.arrayElement(['GOMA', 'LOPE', 'SARA', 'HEMJ'])}${faker.number.int({ min: 50, max: 99 })}0415`;
		return {
			rfc,
			legalName: `${faker.company.name().toUpperCase()} SA DE CV`,
			constituted: this.pastDate(rfc.slice(3, 9), 0),
			email: `contacto@${rfc.toLowerCase().replace(/[^a-z0-9]/g, '')}.example`,
			address: addressIn(faker, state),
			representative: this.withName(
				this.named(faker, representative.slice(0, 4), {
					birthDate: dateOf(representative.slice(4), '19'),
				}),
			),
		};
	}

	/** Everybody known so far. */
	save(): Person[] {
		return [...new Set(this.persons.values())];
	}

	load(persons: Person[]): void {
		this.persons.clear();
		for (const person of persons) this.remember(person);
	}

	/** Somebody whose name gives these letters: four of an RFC, or a whole CURP with its consonants. */
	private named(
		faker: Faker,
		letters: string,
		{ birthDate, sex = sexBy(faker) }: Pick<Person, 'birthDate'> & Partial<Open>,
	): Named & Pick<Open, 'sex'> {
		const [initial, vowel, second, given] = letters.replace(/&/g, 'X');
		const [one, two, three] = letters.slice(13, 16);
		return {
			firstLastName: nameWith(faker, SURNAMES, { initial, vowel, consonant: one }),
			secondLastName: nameWith(faker, SURNAMES, { initial: second, consonant: two }),
			name: nameWith(faker, sex === 'M' ? FEMALE : MALE, { initial: given, consonant: three }),
			birthDate,
			sex,
		};
	}

	/** Makes a person known, with what the name and the identifiers leave open. */
	private complete(person: Named & Partial<Open>, rfc: string): Person {
		const faker = fakerFor(this.seed, `person ${rfc}`);
		const { name, firstLastName, secondLastName, birthDate, sex = sexBy(faker) } = person;
		const { birthState = faker.helpers.arrayElement(Object.keys(STATES_BY_CURP_CODE)) } = person;
		return this.remember({
			name,
			firstLastName,
			secondLastName,
			birthDate,
			sex,
			birthState,
			rfc,
			curp: person.curp ?? curpOf({ ...person, sex, state: birthState }),
			nss: luhnNss(faker, birthDate),
			email: `persona.${faker.string.alphanumeric(6).toLowerCase()}@sandbox.example`,
			address: addressIn(faker, STATES_BY_CURP_CODE[birthState].iso),
		});
	}

	private remember(person: Person): Person {
		for (const key of [person.rfc, person.curp, basicOf(person.rfc), basicOf(person.curp)]) {
			this.persons.set(key, person);
		}
		return person;
	}
}
