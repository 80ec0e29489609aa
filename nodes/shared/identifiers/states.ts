import type { MexicanState } from './checkResult';

interface Region extends MexicanState {
	/** ISO 3166-2:MX without MX-. */
	code: string;
	/** The credit bureau's code; CP §2.11 lists both systems together. */
	bureau: string;
	/** Positions 12–13 of a CURP. */
	curp: string;
	/** First and last of the two-digit zip prefixes; each of the 96 belongs to exactly one state. */
	first: number;
	last: number;
}

/**
 * The code systems stay apart because one code names different states in them (CHI, CHS and CH; GRO, GR and GUA). A
 * code is only read with its system known.
 */
export const MEXICAN_STATES: readonly Region[] = `
AGU AGS AS 20 20 Aguascalientes
BCN BCN BC 21 22 Baja California
BCS BCS BS 23 23 Baja California Sur
CAM CAM CC 24 24 Campeche
CHP CHS CS 29 30 Chiapas
CHH CHI CH 31 33 Chihuahua
CMX CDMX DF 01 16 Ciudad de México
COA COA CL 25 27 Coahuila
COL COL CM 28 28 Colima
DUR DGO DG 34 35 Durango
GUA GTO GT 36 38 Guanajuato
GRO GRO GR 39 41 Guerrero
HID HGO HG 42 43 Hidalgo
JAL JAL JC 44 49 Jalisco
MEX EM MC 50 57 México (state)
MIC MICH MN 58 61 Michoacán
MOR MOR MS 62 62 Morelos
NAY NAY NT 63 63 Nayarit
NLE NL NL 64 67 Nuevo León
OAX OAX OC 68 71 Oaxaca
PUE PUE PL 72 75 Puebla
QUE QRO QT 76 76 Querétaro
ROO QR QR 77 77 Quintana Roo
SLP SLP SP 78 79 San Luis Potosí
SIN SIN SL 80 82 Sinaloa
SON SON SR 83 85 Sonora
TAB TAB TC 86 86 Tabasco
TAM TAM TS 87 89 Tamaulipas
TLA TLAX TL 90 90 Tlaxcala
VER VER VZ 91 96 Veracruz
YUC YUC YN 97 97 Yucatán
ZAC ZAC ZS 98 99 Zacatecas`
	.trim()
	.split('\n')
	.map((row) => {
		const [code, bureau, curp, first, last, ...name] = row.split(' ');
		return { code, bureau, curp, first: Number(first), last: Number(last), name: name.join(' ') };
	});

const stateWith = (isIt: (region: Region) => boolean): MexicanState | undefined => {
	const found = MEXICAN_STATES.find(isIt);
	return found && { code: found.code, name: found.name };
};

const codeIn = (value: unknown): string =>
	typeof value === 'string' ? value.trim().toUpperCase() : '';

/** The state of a code of CP §2.11 (ISO or bureau, any case), or undefined. */
export function stateByIsoOrBureauCode(value: unknown): MexicanState | undefined {
	const given = codeIn(value);
	return stateWith(({ code, bureau }) => code === given || bureau === given);
}

/** The state of birth of the two letters in a CURP, or undefined. NE (born abroad) has no ISO code. */
export function stateByCurpCode(value: unknown): MexicanState | undefined {
	const given = codeIn(value);
	return given === 'NE'
		? { code: null, name: 'Born abroad' }
		: stateWith(({ curp }) => curp === given);
}

/** The state that the first two digits of a zip code belong to; undefined for 00, 17, 18 and 19. */
export function stateByZipCode(zipCode: string): MexicanState | undefined {
	const prefix = Number(zipCode.slice(0, 2));
	return stateWith(({ first, last }) => prefix >= first && prefix <= last);
}
