import type { Faker } from '@faker-js/faker';
import { checkDigitOf } from './people/rfc';
import type { Company, People, Person } from './people/people';

/** The person behind a document, and the company if the document is of one. */
export interface Applicant extends Person {
	firstName: string;
	middleName: string | null;
	phone: string;
	company(): Company;
}

const BORN_FROM = '1955-01-01';
const BORN_TO = '2004-12-31';
const CONSTITUTED_FROM = '2005-01-01';
const CONSTITUTED_TO = '2022-12-31';

/**
 * The person is added to `people`, so that the other service's queries about their RFC or CURP give the same name.
 */
export function fakeApplicant(faker: Faker, people: People): Applicant {
	const dayBetween = (from: string, to: string) =>
		faker.date.between({ from, to }).toISOString().slice(0, 10);
	const sexType = faker.person.sexType();
	const firstName = faker.person.firstName(sexType);
	const middleName = faker.datatype.boolean() ? faker.person.firstName(sexType) : null;
	const person = people.withName({
		name: middleName ? `${firstName} ${middleName}` : firstName,
		firstLastName: faker.person.lastName(),
		secondLastName: faker.person.lastName(),
		birthDate: dayBetween(BORN_FROM, BORN_TO),
		sex: sexType === 'female' ? 'M' : 'H',
	});
	const companyStart =
		faker.string.alpha({ length: 3, casing: 'upper' }) +
		dayBetween(CONSTITUTED_FROM, CONSTITUTED_TO).slice(2).replaceAll('-', '') +
		faker.string.alphanumeric({ length: 2, casing: 'upper', exclude: ['0', 'O'] });
	return {
		...person,
		firstName,
		middleName,
		phone: `55${faker.string.numeric(8)}`,
		company: () => people.company(companyStart + checkDigitOf(companyStart)),
	};
}
