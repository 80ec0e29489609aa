/** A state by its ISO 3166-2:MX code (without MX-), its bureau code, and its first and last zip prefix. */
interface State {
	iso: string;
	bureau: string;
	zipPrefixes: [first: number, last: number];
}

const state = (iso: string, bureau: string, first: number, last = first): State => ({
	iso,
	bureau,
	zipPrefixes: [first, last],
});

/** CP §2.11 and, for CP §2.8 zipCode, the first two digits of each state's zip codes. */
export const STATE_TABLE: readonly State[] = [
	state('AGU', 'AGS', 20),
	state('BCN', 'BCN', 21, 22),
	state('BCS', 'BCS', 23),
	state('CAM', 'CAM', 24),
	state('CHP', 'CHS', 29, 30),
	state('CHH', 'CHI', 31, 33),
	state('CMX', 'CDMX', 1, 16),
	state('COA', 'COA', 25, 27),
	state('COL', 'COL', 28),
	state('DUR', 'DGO', 34, 35),
	state('GUA', 'GTO', 36, 38),
	state('GRO', 'GRO', 39, 41),
	state('HID', 'HGO', 42, 43),
	state('JAL', 'JAL', 44, 49),
	state('MEX', 'EM', 50, 57),
	state('MIC', 'MICH', 58, 61),
	state('MOR', 'MOR', 62),
	state('NAY', 'NAY', 63),
	state('NLE', 'NL', 64, 67),
	state('OAX', 'OAX', 68, 71),
	state('PUE', 'PUE', 72, 75),
	state('QUE', 'QRO', 76),
	state('ROO', 'QR', 77),
	state('SLP', 'SLP', 78, 79),
	state('SIN', 'SIN', 80, 82),
	state('SON', 'SON', 83, 85),
	state('TAB', 'TAB', 86),
	state('TAM', 'TAM', 87, 89),
	state('TLA', 'TLAX', 90),
	state('VER', 'VER', 91, 96),
	state('YUC', 'YUC', 97),
	state('ZAC', 'ZAC', 98, 99),
];

/** CP §2.11 */
export const STATE_CODES = [...new Set(STATE_TABLE.flatMap(({ iso, bureau }) => [iso, bureau]))];

/** CP §2.12 */
export const COUNTRY_CODES = `
AF AL DE AD AO AI AQ AG SA DZ AR AM AW AU AT AZ BS BH BD BB BE BZ BJ BM BY BO BQ BA BW BR BN BG BF BI BT CV KH CM CA
CL CN CY CO CI CR HR CU CW DK DJ DM EC EG SV ER SK SI ES US EE ET FJ PH FI FR GA GM GS GH GI GD GR GL GP GU GT GY GF
GG GN GW HT HN HK HU IN ID IQ IR IE BV IM CX HM NF IS AX KY CK FK FO MP MH PN RE SB VI VG IL IT JM JP JE JO QA KZ KE
KG KI KW SY KR CD KP LA UM TC LS LV LB LR LY LI LT AE NL LU MO MK MG MY MW MV ML MT MA MQ MR MU YT MX FM MD MC MN ME
MS MZ NA NR NP NI NE NG NU NO NC NZ OM PK PW PS PA PG PY PE PF PL PT PR GB CF CZ GE MM TD CG ST TL DO TZ RW RO RU EH
AS WS BL KN SM MF PM VC SH LC SN RS SC SL SG SX SO LK ZA SD SS SE CH SR SJ SZ TH TW TJ IO CC TF TG TK TO TT TN TM TR
TV UA UG KM UY UZ VU VA VE VN WF YE ZM ZW`
	.trim()
	.split(/\s+/);

/** CP §2.11 */
export function isZipCodeOfState(zipCode: string, code: string): boolean {
	const prefix = Number(zipCode.slice(0, 2));
	return STATE_TABLE.some(
		({ iso, bureau, zipPrefixes: [first, last] }) =>
			(iso === code || bureau === code) && prefix >= first && prefix <= last,
	);
}
