import type { State } from './result';

interface Region {
	name: string;
	/** First and last of the two-digit zip prefixes; each of the 96 belongs to exactly one state. */
	zip: [first: number, last: number];
}

const region = (name: string, first: number, last = first): Region => ({
	name,
	zip: [first, last],
});

/**
 * ISO 3166-2:MX codes without MX-. The three code systems stay apart, because one code names different states in
 * them (CHI, CHS and CH; GRO, GR and GUA), so a code is only read with its system known.
 */
export const ISO_STATES: Readonly<Record<string, Region>> = {
	AGU: region('Aguascalientes', 20),
	BCN: region('Baja California', 21, 22),
	BCS: region('Baja California Sur', 23),
	CAM: region('Campeche', 24),
	CHP: region('Chiapas', 29, 30),
	CHH: region('Chihuahua', 31, 33),
	CMX: region('Ciudad de México', 1, 16),
	COA: region('Coahuila', 25, 27),
	COL: region('Colima', 28),
	DUR: region('Durango', 34, 35),
	GUA: region('Guanajuato', 36, 38),
	GRO: region('Guerrero', 39, 41),
	HID: region('Hidalgo', 42, 43),
	JAL: region('Jalisco', 44, 49),
	MEX: region('México (state)', 50, 57),
	MIC: region('Michoacán', 58, 61),
	MOR: region('Morelos', 62),
	NAY: region('Nayarit', 63),
	NLE: region('Nuevo León', 64, 67),
	OAX: region('Oaxaca', 68, 71),
	PUE: region('Puebla', 72, 75),
	QUE: region('Querétaro', 76),
	ROO: region('Quintana Roo', 77),
	SLP: region('San Luis Potosí', 78, 79),
	SIN: region('Sinaloa', 80, 82),
	SON: region('Sonora', 83, 85),
	TAB: region('Tabasco', 86),
	TAM: region('Tamaulipas', 87, 89),
	TLA: region('Tlaxcala', 90),
	VER: region('Veracruz', 91, 96),
	YUC: region('Yucatán', 97),
	ZAC: region('Zacatecas', 98, 99),
};

/** The credit bureau's codes → ISO. §2.11 of the Credit Profile document lists both systems together. */
const BUREAU_STATES = pairs(`
AGS AGU  BCN BCN  BCS BCS  CAM CAM  CHS CHP  CHI CHH  CDMX CMX  COA COA  COL COL  DGO DUR  GTO GUA
GRO GRO  HGO HID  JAL JAL  EM MEX  MICH MIC  MOR MOR  NAY NAY  NL NLE  OAX OAX  PUE PUE  QRO QUE
QR ROO  SLP SLP  SIN SIN  SON SON  TAB TAB  TAM TAM  TLAX TLA  VER VER  YUC YUC  ZAC ZAC`);

/** Positions 12–13 of a CURP → ISO. NE (born abroad) has no ISO code. */
export const CURP_STATES = pairs(`
AS AGU  BC BCN  BS BCS  CC CAM  CS CHP  CH CHH  DF CMX  CL COA  CM COL  DG DUR  GT GUA
GR GRO  HG HID  JC JAL  MC MEX  MN MIC  MS MOR  NT NAY  NL NLE  OC OAX  PL PUE  QT QUE
QR ROO  SP SLP  SL SIN  SR SON  TC TAB  TS TAM  TL TLA  VZ VER  YN YUC  ZS ZAC`);

function pairs(text: string): ReadonlyMap<string, string> {
	const rows = text.trim().split(/\s{2,}|\n/);
	return new Map(rows.map((row) => row.split(' ') as [string, string]));
}

const stateOf = (iso: string): State => ({ code: iso, name: ISO_STATES[iso].name });

/** The state of a code of §2.11 (ISO or bureau, any case), or undefined. */
export function stateByCode(value: unknown): State | undefined {
	if (typeof value !== 'string') return undefined;
	const code = value.trim().toUpperCase();
	const iso = Object.hasOwn(ISO_STATES, code) ? code : BUREAU_STATES.get(code);
	return iso === undefined ? undefined : stateOf(iso);
}

/** The state of birth of the two letters in a CURP, or undefined. */
export function stateByCurpCode(code: string): State | undefined {
	if (code === 'NE') return { code: null, name: 'Born abroad' };
	const iso = CURP_STATES.get(code);
	return iso === undefined ? undefined : stateOf(iso);
}

/** The state that the first two digits of a zip code belong to; undefined for 00, 17, 18 and 19. */
export function stateByZipCode(zipCode: string): State | undefined {
	const prefix = Number(zipCode.slice(0, 2));
	const found = Object.entries(ISO_STATES).find(
		([, { zip }]) => prefix >= zip[0] && prefix <= zip[1],
	);
	return found && stateOf(found[0]);
}
