import type { Faker } from '@faker-js/faker';
import type { CollectionVersionJsonSchema } from '../../contract/creditProfile';
import type { Applicant } from './applicant';

/** Such fields agree with each other, because a person or company stands behind them. */
const byName: Record<string, (applicant: Applicant, faker: Faker) => unknown> = {
	nombre: ({ name }) => name,
	primerApellido: ({ firstLastName }) => firstLastName,
	segundoApellido: ({ secondLastName }) => secondLastName,
	rfc: ({ rfc }) => rfc,
	curp: ({ curp }) => curp,
	nss: ({ nss }) => nss,
	correo: ({ email }) => email,
	telefono: ({ phone }) => phone,
	calle: ({ address }) => `${address.street} ${address.exteriorNumber}`,
	colonia: ({ address }) => address.neighborhood,
	municipio: ({ address }) => address.municipality,
	estado: ({ address }) => address.state,
	codigoPostal: ({ address }) => address.zipCode,
	razonSocial: ({ company }) => company().legalName,
	rfcEmpresa: ({ company }) => company().rfc,
	sitioWeb: (_applicant, faker) => `https://www.${faker.internet.domainWord()}.example/`,
	giro: (_applicant, faker) => faker.commerce.department(),
	patron: (_applicant, faker) => faker.company.name(),
	otorgante: (_applicant, faker) => faker.company.name(),
	juzgado: (_applicant, faker) => `Juzgado ${faker.number.int({ min: 1, max: 60 })}º de lo Civil`,
	numero: (_applicant, faker) =>
		`${faker.number.int({ min: 1, max: 9999 })}/${faker.number.int({ min: 2005, max: 2025 })}`,
	partes: ({ firstName, firstLastName }, faker) => [
		`${firstName} ${firstLastName}`,
		faker.person.fullName(),
	],
	puntaje: (_applicant, faker) => faker.number.int({ min: 420, max: 820 }),
};

const byFormat: Record<string, (faker: Faker) => string> = {
	uuid: (faker) => faker.string.uuid(),
	date: (faker) => pastDay(faker).slice(0, 10),
	'date-time': (faker) => pastDay(faker),
};

const OFTEN = 0.85;

function pastDay(faker: Faker): string {
	return faker.date.between({ from: '2020-01-01', to: '2023-12-31' }).toISOString();
}

/**
 * CP §2.5. Optional parts are sometimes missing, and nullable ones sometimes null. The value is valid by the
 * schema.
 */
export function fakeValueFor(
	schema: CollectionVersionJsonSchema,
	name: string,
	applicant: Applicant,
	faker: Faker,
): unknown {
	if (name in byName) return byName[name](applicant, faker);
	if (Array.isArray(schema.type) && !faker.datatype.boolean(OFTEN)) return null;
	if (schema.enum) return faker.helpers.arrayElement(schema.enum);
	const type = [schema.type].flat().find((one) => one !== 'null');
	if (type === 'object') {
		const { properties = {}, required = [] } = schema;
		return Object.fromEntries(
			Object.entries(properties)
				.filter(([key]) => required.includes(key) || faker.datatype.boolean(OFTEN))
				.map(([key, property]) => [key, fakeValueFor(property, key, applicant, faker)]),
		);
	}
	if (type === 'array') {
		const items = schema.items ?? { type: 'string' };
		return Array.from({ length: faker.number.int({ max: 4 }) }, () =>
			fakeValueFor(items, '', applicant, faker),
		);
	}
	if (type === 'boolean') return faker.datatype.boolean();
	if (type === 'integer') return faker.number.int({ max: 100 });
	if (type === 'number') return faker.number.float({ max: 250_000, fractionDigits: 2 });
	return byFormat[schema.format ?? '']?.(faker) ?? faker.lorem.sentence();
}
