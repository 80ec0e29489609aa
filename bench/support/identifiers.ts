import { curpOf } from '../../sandbox/data/people/curp';
import { checkDigitOf } from '../../sandbox/data/people/rfc';

/** A birth date that differs for each index. */
export const birthDateOf = (index: number) =>
	new Date(Date.UTC(1950, 0, 1 + 7 * index)).toISOString().slice(0, 10);

/** The RFC of a person who differs for each index. */
export function rfcOf(index: number): string {
	const start = `GODE${birthDateOf(index).slice(2).replaceAll('-', '')}GR`;
	return start + checkDigitOf(start);
}

/** The RFC of a company that differs for each index. */
export function companyRfcOf(index: number): string {
	const start = `EKU${birthDateOf(index).slice(2).replaceAll('-', '')}1A`;
	return start + checkDigitOf(start);
}

/** The CURP of a person who differs for each index. */
export const curpOfIndex = (index: number): string =>
	curpOf({
		name: 'Emma',
		firstLastName: 'Gómez',
		secondLastName: 'Díaz',
		birthDate: birthDateOf(index),
		sex: 'M',
		state: 'JC',
	});
