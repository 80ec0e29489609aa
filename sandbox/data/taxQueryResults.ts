import type { Faker } from '@faker-js/faker';
import type {
	CurpRecordResponseContent,
	FiscalRecordResponseContent,
} from '../../contract/taxQuery';
import { fakerFor } from './faker';
import type { Address, Company, People, Person } from './people/people';
import { STATES_BY_CURP_CODE } from './people/states';

/** A company's RFC has 12 characters, a person's 13. */
export const clientTypeOfRfc = (rfc: string): 'PF' | 'PM' => (rfc.length === 12 ? 'PM' : 'PF');

const upper = (text: string) => text.toUpperCase();
const fullName = ({ name, firstLastName, secondLastName }: Person) =>
	upper([name, firstLastName, secondLastName].join(' '));

const REGIMES = {
	PF: [
		{ clave: '605', descripcion: 'Sueldos y Salarios e Ingresos Asimilados a Salarios' },
		{ clave: '612', descripcion: 'Personas Físicas con Actividades Empresariales y Profesionales' },
		{ clave: '626', descripcion: 'Régimen Simplificado de Confianza' },
	],
	PM: [
		{ clave: '601', descripcion: 'General de Ley Personas Morales' },
		{ clave: '626', descripcion: 'Régimen Simplificado de Confianza' },
	],
};

interface Subject {
	name: string;
	email: string;
	address: Address;
	representative?: Person;
	since: string;
}

function subjectOf(people: People, rfc: string): Subject {
	if (clientTypeOfRfc(rfc) === 'PM') {
		const company: Company = people.company(rfc);
		return { ...company, name: company.legalName, since: company.constituted };
	}
	const person = people.byRfc(rfc);
	const grownUp = String(Number(person.birthDate.slice(0, 4)) + 18);
	return { ...person, name: fullName(person), since: grownUp + person.birthDate.slice(4) };
}

/** An equal seed and identifier give equal results. */
export class ResultGenerator {
	constructor(
		private readonly seed: number,
		private readonly people: People,
	) {}

	/** TQ §2.3, with the regimes for CRF only. */
	fiscal(rfc: string, withRegimes: boolean): FiscalRecordResponseContent {
		const faker = fakerFor(this.seed, `fiscal ${rfc}`);
		const { name, email, address, representative } = subjectOf(this.people, rfc);
		const state = Object.values(STATES_BY_CURP_CODE).find(({ iso }) => iso === address.state);
		const from = faker.date.between({ from: '2023-01-01', to: '2025-06-30' }).toISOString();
		return {
			RFC: rfc,
			RazonSocial: name,
			ValidoDesde: from.slice(0, 19),
			ValidoHasta:
				String(Number(from.slice(0, 4)) + 4) + from.slice(4, 19).replace('02-29', '02-28'),
			RFCRepresentante: representative?.rfc ?? '',
			CURPRepresentante: representative?.curp ?? '',
			EmailContacto: email,
			EstadoCertificado: 'Activo',
			NumeroCertificado: `0000100000${faker.string.numeric(10)}`,
			Valido: true,
			Municipio: address.municipality,
			Estado: state?.name ?? '',
			Ciudad: address.city,
			OficinaPostal: address.zipCode.slice(0, 2),
			Zona: faker.helpers.arrayElement(['1', '2', '3']),
			EstadoISO: address.state,
			CodigoPostal: address.zipCode,
			...(withRegimes && { RegimenesFiscales: this.regimes(rfc, faker) }),
		};
	}

	/** Contents not shown (TQ §2.3). */
	fiscalState(rfc: string): Record<string, unknown> {
		return { FISCAL_DATA: { rfc, status: 'SUCCESS' } };
	}

	/** TQ §2.4 */
	curp(curp: string): CurpRecordResponseContent {
		const person = this.people.byCurp(curp);
		const [year, month, day] = person.birthDate.split('-');
		return {
			rfc: person.rfc,
			estatus: 'EXITOSO',
			codigoValidacion: '100',
			curp,
			nombre: upper(person.name),
			apellidoPaterno: upper(person.firstLastName),
			apellidoMaterno: upper(person.secondLastName),
			sexo: { H: 'HOMBRE', M: 'MUJER', X: 'NO BINARIO' }[person.sex],
			fechaNacimiento: `${day}/${month}/${year}`,
			paisNacimiento: person.birthState === 'NE' ? 'NO ESPECIFICADO' : 'MEXICO',
			estadoNacimiento: upper(STATES_BY_CURP_CODE[person.birthState]?.name ?? ''),
			docProbatorio: 1,
			datosDocProbatorio: {
				entidadRegistro: upper(STATES_BY_CURP_CODE[person.birthState]?.name ?? ''),
				anioReg: year,
			},
			estatusCurp: 'RCN',
			codigoMensaje: '200',
		};
	}

	/** Contents not shown: name, nationality, percentage and more (TQ §4.2). */
	shareholders(rfc: string): Record<string, unknown> {
		const faker = fakerFor(this.seed, `shareholders ${rfc}`);
		const company = this.people.company(rfc);
		const major = faker.number.int({ min: 40, max: 80 });
		const other = faker.person.fullName().toUpperCase();
		return {
			rfc,
			legalName: company.legalName,
			shareholders: [
				{
					name: fullName(company.representative),
					rfc: company.representative.rfc,
					nationality: 'MEXICANA',
					percentage: major,
				},
				{ name: other, nationality: 'MEXICANA', percentage: 100 - major },
			],
		};
	}

	/** Contents not shown (TQ §4.7). */
	jobHistory(curp: string): Record<string, unknown> {
		const faker = fakerFor(this.seed, `jobs ${curp}`);
		const person = this.people.byCurp(curp);
		let year = Number(person.birthDate.slice(0, 4)) + 19;
		const jobs = Array.from({ length: faker.number.int({ min: 1, max: 4 }) }, () => {
			const from = year;
			year += faker.number.int({ min: 1, max: 5 });
			return {
				employer: faker.company.name().toUpperCase(),
				from: `${from}-02-01`,
				to: `${year}-01-31`,
				dailySalary: faker.number.float({ min: 250, max: 2500, fractionDigits: 2 }),
			};
		});
		return { curp, nss: person.nss, weeksQuoted: jobs.length * 104, jobs };
	}

	/** Contents not shown (TQ §4.9). */
	fiscalSituation(rfc: string): Record<string, unknown> {
		const { name, address, since } = subjectOf(this.people, rfc);
		const faker = fakerFor(this.seed, `fiscal ${rfc}`);
		return { rfc, name, status: 'ACTIVO', since, address, regimes: this.regimes(rfc, faker) };
	}

	/** Contents not shown (TQ §4.10). */
	complianceOpinion(rfc: string): Record<string, unknown> {
		const faker = fakerFor(this.seed, `compliance ${rfc}`);
		return {
			rfc,
			name: subjectOf(this.people, rfc).name,
			opinion: faker.helpers.weightedArrayElement([
				{ value: 'POSITIVA', weight: 4 },
				{ value: 'NEGATIVA', weight: 1 },
			]),
			folio: faker.string.alphanumeric({ length: 10, casing: 'upper' }),
		};
	}

	/** Contents not shown (TQ §4.11): the invoices of one month, as far as they lie within these days. */
	invoices(
		rfc: string,
		period: string,
		days: { from: string; to: string; today: string },
	): Record<string, unknown> {
		const faker = fakerFor(this.seed, `invoices ${rfc} ${period}`);
		const { name } = subjectOf(this.people, rfc);
		const invoices = Array.from({ length: faker.number.int({ min: 1, max: 6 }) }, () => ({
			uuid: faker.string.uuid(),
			issuedAt: `${period}-${String(faker.number.int({ min: 1, max: 28 })).padStart(2, '0')}`,
			issuer: { rfc, name },
			total: faker.number.float({ min: 100, max: 90_000, fractionDigits: 2 }),
			currency: 'MXN',
			type: faker.helpers.arrayElement(['I', 'E', 'P']),
		}));
		const isRequested = (day: string) => day >= days.from && day <= days.to && day <= days.today;
		return { rfc, period, invoices: invoices.filter(({ issuedAt }) => isRequested(issuedAt)) };
	}

	private regimes(rfc: string, faker: Faker) {
		const [first, second] = REGIMES[clientTypeOfRfc(rfc)];
		return faker.datatype.boolean(0.7) ? [first] : [first, second];
	}
}
