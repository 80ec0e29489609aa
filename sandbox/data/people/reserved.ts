import { checkDigitOf } from './rfc';
import { type People, type Person } from './people';

export type Behaviour = 'success' | 'notFound' | 'pending' | 'failed' | 'slow';

interface Reservation {
	behaviour: Behaviour;
	effect: string;
	person: Pick<Person, 'name' | 'firstLastName' | 'secondLastName' | 'birthDate'> &
		Pick<Person, 'sex' | 'birthState'>;
	/** A company's RFC without its check digit. */
	company: string;
}

const birth = { birthDate: '1985-03-14', sex: 'M' as const, birthState: 'DF' };

/** They do not depend on the seed, so that a rehearsed workflow can name them. */
const RESERVATIONS: Reservation[] = [
	{
		behaviour: 'success',
		effect: 'Always succeeds',
		person: { name: 'Elena', firstLastName: 'Éxito', secondLastName: 'Seguro', ...birth },
		company: 'EXI0503141A',
	},
	{
		behaviour: 'notFound',
		effect: 'Returns 404 at once, or ends as FAILED if the result arrives later',
		person: { name: 'Nadia', firstLastName: 'Ninguna', secondLastName: 'Parte', ...birth },
		company: 'NIN0503141A',
	},
	{
		behaviour: 'pending',
		effect: 'Is acknowledged and stays PENDING',
		person: { name: 'Paula', firstLastName: 'Pendiente', secondLastName: 'Eterna', ...birth },
		company: 'PEN0503141A',
	},
	{
		behaviour: 'failed',
		effect: 'Ends as FAILED',
		person: { name: 'Fátima', firstLastName: 'Falla', secondLastName: 'Siempre', ...birth },
		company: 'FAL0503141A',
	},
	{
		behaviour: 'slow',
		effect: 'Succeeds after ten times the usual delay',
		person: { name: 'Lorena', firstLastName: 'Lenta', secondLastName: 'Paciente', ...birth },
		company: 'LEN0503141A',
	},
];

export interface ReservedIdentity {
	behaviour: Behaviour;
	effect: string;
	/** Given names and both surnames. */
	name: string;
	/** Calculate RFC asks for them. */
	givenNames: string;
	firstLastName: string;
	secondLastName: string;
	/** ISO date. */
	birthDate: string;
	rfc: string;
	curp: string;
	companyRfc: string;
}

export function addReservedIdentities(people: People): ReservedIdentity[] {
	return RESERVATIONS.map(({ behaviour, effect, person, company }) => {
		const { name, firstLastName, secondLastName, birthDate, rfc, curp } = people.withName(person);
		return {
			behaviour,
			effect,
			name: `${name} ${firstLastName} ${secondLastName}`,
			givenNames: name,
			firstLastName,
			secondLastName,
			birthDate,
			rfc,
			curp,
			companyRfc: company + checkDigitOf(company),
		};
	});
}
