import type { Address, Person } from './people/people';

/** CP §2.12: countries of those who live or were born abroad. */
const ABROAD = [
	{ country: 'US', city: 'Austin', zipCode: '78701' },
	{ country: 'ES', city: 'Madrid', zipCode: '28013' },
	{ country: 'DE', city: 'Berlin', zipCode: '10115' },
	{ country: 'FR', city: 'París', zipCode: '75001' },
] as const;

const BORN_ABROAD = 'NE';
const abroad = (index: number) => ABROAD[index % ABROAD.length];

const livesAbroad = (index: number) => index % 13 === 6;
const hasNoCountry = (index: number) => index % 10 === 9;
const hasNoZipCode = (index: number) => index % 7 === 3;

/** The address in the fields of CP §2.8. Some live abroad; of some the country is null or the zip code empty. */
export function buildResidence({ address }: { address: Address }, index: number) {
	const { street, ...place } = address;
	const line = { address: street, address2: null, interiorNumber: null };
	if (livesAbroad(index)) {
		const { exteriorNumber } = place;
		const nowhere = { neighborhood: null, municipality: null, state: null };
		return { ...line, exteriorNumber, ...nowhere, ...abroad(index) };
	}
	return {
		...line,
		...place,
		...(hasNoZipCode(index) && { zipCode: '' }),
		country: hasNoCountry(index) ? null : ('MX' as const),
	};
}

/** CP §2.12. Foreign for whoever was born abroad, null where the country is. */
export function buildNationality({ birthState }: Person, index: number) {
	if (hasNoCountry(index)) return null;
	return birthState === BORN_ABROAD ? abroad(index).country : ('MX' as const);
}
