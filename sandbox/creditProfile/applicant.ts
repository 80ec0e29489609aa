import type { Faker } from '@faker-js/faker';
import { STATES } from '../../contract/creditProfile';
import { isCurp, isNss } from '../../contract/identifiers';
import { fakerFor } from './random';

/** The person behind a document, and the company if the document is of one. */
export interface Applicant {
	firstName: string;
	middleName: string | null;
	firstLastName: string;
	secondLastName: string | null;
	/** ISO date. */
	birthdate: string;
	rfc: string;
	curp: string;
	nss: string;
	email: string;
	phone: string;
	address: {
		street: string;
		exteriorNumber: string;
		interiorNumber: string | null;
		neighborhood: string;
		municipality: string;
		city: string;
		/** ISO 3166-2:MX without MX-. */
		state: string;
		zipCode: string;
	};
	company: { tradeName: string; rfc: string };
}

const digits = [...'0123456789'];
const plain = (text: string) =>
	text
		.normalize('NFD')
		.replace(/[^A-Za-z]/g, '')
		.toUpperCase();

export function applicantOf(seed: number, key: string): Applicant {
	const faker = fakerFor(seed, `applicant ${key}`);
	const firstName = faker.person.firstName();
	const firstLastName = faker.person.lastName();
	const secondLastName = faker.person.lastName();
	const birthdate = faker.date
		.birthdate({ min: 20, max: 70, mode: 'age', refDate: '2025-01-01' })
		.toISOString()
		.slice(0, 10);
	const yymmdd = birthdate.slice(2).replaceAll('-', '');
	const letters = plain(firstLastName)[0] + 'A' + plain(secondLastName)[0] + plain(firstName)[0];
	const basic = letters + yymmdd;
	const state = faker.helpers.arrayElement(STATES);
	return {
		firstName,
		middleName: faker.datatype.boolean(0.5) ? faker.person.middleName() : null,
		firstLastName,
		secondLastName: faker.datatype.boolean(0.95) ? secondLastName : null,
		birthdate,
		rfc: `${basic}${faker.string.alphanumeric({ length: 2, casing: 'upper' })}${faker.string.numeric()}`,
		curp: complete(`${basic}HDFRRL${Number(birthdate.slice(0, 4)) < 2000 ? '0' : 'A'}`, isCurp),
		nss: complete(faker.string.numeric(10), isNss),
		email: 'persona@sandbox.example',
		phone: `55${faker.string.numeric(8)}`,
		address: addressIn(state, faker),
		company: { tradeName: faker.company.name(), rfc: `ABC${yymmdd}1A0` },
	};
}

function complete(start: string, isValid: (text: string) => boolean): string {
	return digits.map((digit) => start + digit).find(isValid) ?? start;
}

function addressIn(state: (typeof STATES)[number], faker: Faker): Applicant['address'] {
	const [min, max] = state.zipPrefixes;
	const prefix = String(faker.number.int({ min, max })).padStart(2, '0');
	return {
		street: faker.location.street(),
		exteriorNumber: faker.location.buildingNumber(),
		interiorNumber: null,
		neighborhood: 'Centro',
		municipality: faker.location.city(),
		city: faker.location.city(),
		state: state.iso,
		zipCode: prefix + faker.string.numeric(3),
	};
}
