/** Words of a key that tell a person: names, identifiers, addresses, e-mail, phone, birth; in both languages. */
const PERSONAL = new Set(
	`name names surname nombre nombres apellido apellidos razon denominacion filename employer patron partes
	rfc curp nss ciec certificado certificate probatorio proof
	address street neighborhood city municipality locality exterior interior zip postal
	domicilio direccion calle colonia ciudad municipio alcaldia localidad
	email mail correo phone mobile telefono celular movil
	birth birthdate birthday nacimiento day
	url`.split(/\s+/),
);

/** Words that make a key harmless although one of the above is in it: the status of a certificate, the name of a state. */
const HARMLESS = new Set('status estado state valid valido service collection regime'.split(' '));
const NEVER_HARMLESS = new Set(['nacimiento', 'birth']);

const words = (key: string): string[] =>
	key
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
		.toLowerCase()
		.match(/[a-z]+/g) ?? [];

/** Whether what stands under this key describes data instead of being some: a schema's keys are names of fields. */
export const isDescription = (key: string): boolean => key === 'schema';

/** Whether what stands under this key tells who a person or company is. */
export function isPersonalKey(key: string): boolean {
	const all = words(key);
	if (!all.some((word) => PERSONAL.has(word))) return false;
	return !all.some((word) => HARMLESS.has(word)) || all.some((word) => NEVER_HARMLESS.has(word));
}

/** Whether an object's `name` is that of a thing: a data collection, or a form's configuration. */
export const isNamedThing = (row: object): boolean =>
	'slug' in row || 'activeDataCollectionVersionId' in row;
