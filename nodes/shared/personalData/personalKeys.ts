const set = (text: string) => new Set(text.split(/\s+/));

/** Words of a key that tell a person: names, identifiers, addresses, e-mail, phone, birth; in both languages. */
const PERSONAL = set(
	`name names surname nombre nombres apellido apellidos razon denominacion filename employer empleador patron partes
	rfc curp nss ciec certificado certificate probatorio proof clabe elector ine ife pasaporte passport tarjeta ssn seguridad
	address street neighborhood city municipality locality exterior interior zip postal cp
	domicilio direccion calle colonia ciudad municipio alcaldia localidad
	email mail correo phone mobile telefono tel celular cel movil whats fax
	birth birthdate birthday nacimiento nac dob day
	url`,
);
/** Those that also tell it within a longer word, such as NOMBRECOMPLETO. */
const PART =
	/nombre|apellid|paterno|materno|(?:first|middle|last|full|given|family|maiden|legal|trade|company|customer|client|user|owner|contact)names?$|razonsocial|rfc|curp|clabe|claveelector|telefon|celular|whatsapp|phone|email|correo|nacimiento|birth|domicilio|direccion|codigopostal|zipcode/;
/** Whoever has a part in it: a text is a name then, an object tells by its own keys. */
const ROLE =
	/^(?:clientes?|clients?|customers?|titular|titulares|aval|avales|contactos?|contacts?|apoderad[oa]s?|fiador|deudor|usuarios?|applicants?|borrowers?|guarantors?|spouse)$|acreditad|solicitante|beneficiari|representa(?:nte|tive)|conyuge/;

/** Words that make a key harmless although one of the above is in it: the status of a certificate, the name of a state. */
const HARMLESS = set(
	'estado state valid valido service servicio collection coleccion regime regimen',
);
/** Those that do so only to what is none of the most telling: "Estado civil, nombre del cónyuge". */
const HALF_HARMLESS = set('estado valid valido');
const TELLING = /nombre|name|apellid|paterno|materno|rfc|^(?:tel|cel)$|telefon|celular|phone/;
const NEVER_HARMLESS = /nacimiento|birth/;
/** What is told of a role, and is no name: "Total cliente", "Tipo de titular". */
const OF_ROLE = set(
	'id ids uuid key type tipo total monto saldo amount numero num no number folio count score fecha date es is has tiene',
);

const words = (key: string): string[] =>
	key
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
		.toLowerCase()
		.match(/[a-z]+/g) ?? [];

/** Whether what stands under this key describes data instead of being some: a schema's keys are names of fields. */
export const isDescription = (key: string): boolean => key === 'schema';

/**
 * Whether what stands under this key tells who a person or company is: all of it, or only a text, where the key names
 * whoever has a part in it.
 */
export function personalKind(key: string): 'all' | 'text' | undefined {
	const all = words(key);
	const isPersonal = all.some((word) => PERSONAL.has(word) || PART.test(word));
	if (!isPersonal && !all.some((word) => ROLE.test(word))) return undefined;
	if (all.some((word) => NEVER_HARMLESS.test(word))) return 'all';
	const isTelling = all.some((word) => TELLING.test(word));
	const isHarmless = (word: string) =>
		HARMLESS.has(word) ? !(isTelling && HALF_HARMLESS.has(word)) : word.includes('status');
	if (all.some(isHarmless)) return undefined;
	if (isPersonal) return 'all';
	return all.some((word) => OF_ROLE.has(word)) ? undefined : 'text';
}

/** Whether an object's `name` is that of a thing: a data collection, or a form's configuration. */
export const isNamedThing = (row: object): boolean =>
	'slug' in row || 'activeDataCollectionVersionId' in row;
