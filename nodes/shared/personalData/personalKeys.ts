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
	/^(?:clientes?|clients?|customers?|titular|titulares|aval|avales|contactos?|contacts?|apoderad[oa]s?|fiador|deudor|usuarios?|applicants?|borrowers?|guarantors?|spouse|accionistas?|socios?|shareholders?|partners?|holder|contribuyente|taxpayer|emisor|receptor|issuer|receiver|empresa|company)$|acreditad|solicitante|beneficiari|representa(?:nte|tive)|conyuge/;

/** The name of a thing or the status of an identifier, if the whole key says just that. */
const OF_THING =
	/^(?:name |nombre )?(?:data |tax )?(?:service|collection|regime|state|servicio|coleccion|regimen)(?: datos| fiscal)?(?: name| nombre)?$|^(?:rfc|curp) ?e?status(?: meaning)?$|^e?status ?(?:rfc|curp)$/;
const ARTICLES = set('de del la el of the');
/** A status makes a key harmless, unless it tells more than of a document or a role: "Estado civil del cónyuge". */
const STATUS = /status|^(?:estado|state|valido?)$/;
const HAS_STATUS = set('certificado certificate probatorio proof');
const NEVER_HARMLESS = /nacimiento|birth/;
/** What is told of a role, and is no name: "Total cliente", "Tipo de titular". */
const OF_ROLE = set(
	`id ids uuid key type tipo total monto saldo amount numero num no number folio count score fecha date es is has tiene
	regimen regime uso situacion situation actividad activity sector pais country porcentaje percentage`,
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
 * Whether what stands under this key tells who a person or company is: all of it, or only texts, where the key names
 * whoever has a part in it.
 */
export function personalKind(key: string): 'all' | 'text' | undefined {
	const all = words(key);
	const personal = all.filter((word) => PERSONAL.has(word) || PART.test(word));
	const isPersonal = personal.length > 0;
	if (!isPersonal && !all.some((word) => ROLE.test(word))) return undefined;
	if (all.some((word) => NEVER_HARMLESS.test(word))) return 'all';
	if (OF_THING.test(all.filter((word) => !ARTICLES.has(word)).join(' '))) return undefined;
	const hasStatus = all.some((word) => STATUS.test(word));
	if (hasStatus && personal.every((word) => HAS_STATUS.has(word))) return undefined;
	if (isPersonal) return 'all';
	return all.some((word) => OF_ROLE.has(word)) ? undefined : 'text';
}

/** Whether an object's `name` is that of a thing: a data collection, or a form's configuration. */
export const isNamedThing = (row: object): boolean =>
	'slug' in row || 'activeDataCollectionVersionId' in row;
