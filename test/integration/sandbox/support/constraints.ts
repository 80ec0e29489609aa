/** Stands for a field that is left out. */
export const MISSING = Symbol('left out');

/** Several fields set together. */
export class Fields {
	constructor(readonly values: Record<string, unknown>) {}
}

/** One row of a table of the document: values (or `Fields`) that it allows, and such that break each constraint. */
export interface Row {
	allowed?: unknown[];
	broken: unknown[];
}

export const or = (row: Row, more: Partial<Row>): Row => ({
	allowed: [...(row.allowed ?? []), ...(more.allowed ?? [])],
	broken: [...row.broken, ...(more.broken ?? [])],
});
export const required = (row: Row): Row => or(row, { broken: [MISSING] });
export const optional = (row: Row): Row => or(row, { allowed: [MISSING] });
export const nullable = ({ allowed = [], broken }: Row): Row => ({
	allowed: [...allowed, null],
	broken: broken.filter((value) => value !== null),
});

export const string: Row = { broken: [5, null, ['x']] };
export const number: Row = { allowed: [0, 1.5], broken: ['1', null, true] };
export const integer: Row = { allowed: [7], broken: ['1', null, 1.5] };
export const boolean: Row = { allowed: [true, false], broken: ['true', 1, null] };
export const dateTime: Row = {
	allowed: ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.123-06:00'],
	broken: [5, null, '2024-02-29', '2023-02-29T10:00:00Z', '2024-02-29T24:00:00Z', 'yesterday'],
};
export const date: Row = {
	allowed: ['2024-02-29'],
	broken: [5, null, '2023-02-29', '29/02/2024', '2024-02-29T00:00:00Z'],
};
export const strings: Row = { allowed: [[], ['ñ']], broken: ['x', null, [5]] };
export const freeForm: Row = { allowed: [{}, { any: [1] }], broken: ['x', null, 5] };
export const user: Row = { broken: ['x', null, { role: 'owner' }] };
export const email: Row = {
	allowed: ['a.b@c.example'],
	broken: [5, 'a.b', 'a b@c.example', '@c.example'],
};
export const uri: Row = { allowed: ['https://a.example/b?c'], broken: [5, 'a/b', 'not a uri'] };
export const oneOf = (...values: string[]): Row => ({
	allowed: values,
	broken: [5, null, '', values[0].toLowerCase() === values[0] ? 'XX' : values[0].toLowerCase()],
});
const TOO_LONG = 'x'.repeat(257);
export const limited: Row = { allowed: ['', 'x'.repeat(256)], broken: [5, TOO_LONG] };
export const personName: Row = {
	allowed: ["Ángel Ñoño-Güemes d'A. Ll", 'x'.repeat(256)],
	broken: [5, TOO_LONG, 'R2D2', 'a_b', 'a@b', 'a,b'],
};
export const plain: Row = {
	allowed: ["Año 9 @&.-,'()/<> Ü", 'x'.repeat(256)],
	broken: [5, TOO_LONG, 'a_b', 'a#b', 'a"b', 'a;b'],
};
/** A row of text that may be null. */
export const text = nullable(optional(string));

const STATES =
	'AGU BCN BCS CAM CHP CHH CMX COA COL DUR GUA GRO HID JAL MEX MIC MOR NAY NLE OAX PUE QUE ROO SLP SIN SON TAB TAM TLA VER YUC ZAC AGS CHS CHI CDMX DGO GTO HGO EM MICH NL QRO QR TLAX';
const COUNTRIES =
	'AF AL DE AD AO AI AQ AG SA DZ AR AM AW AU AT AZ BS BH BD BB BE BZ BJ BM BY BO BQ BA BW BR BN BG BF BI BT CV KH CM CA CL CN CY CO CI CR HR CU CW DK DJ DM EC EG SV ER SK SI ES US EE ET FJ PH FI FR GA GM GS GH GI GD GR GL GP GU GT GY GF GG GN GW HT HN HK HU IN ID IQ IR IE BV IM CX HM NF IS AX KY CK FK FO MP MH PN RE SB VI VG IL IT JM JP JE JO QA KZ KE KG KI KW SY KR CD KP LA UM TC LS LV LB LR LY LI LT AE NL LU MO MK MG MY MW MV ML MT MA MQ MR MU YT MX FM MD MC MN ME MS MZ NA NR NP NI NE NG NU NO NC NZ OM PK PW PS PA PG PY PE PF PL PT PR GB CF CZ GE MM TD CG ST TL DO TZ RW RO RU EH AS WS BL KN SM MF PM VC SH LC SN RS SC SL SG SX SO LK ZA SD SS SE CH SR SJ SZ TH TW TJ IO CC TF TG TK TO TT TN TM TR TV UA UG KM UY UZ VU VA VE VN WF YE ZM ZW';

export const place = (state: string | null, zipCode: string | null) =>
	new Fields({ state, zipCode });
export const zipCode: Row = {
	allowed: [
		place('CMX', '01000'),
		place('CDMX', '16999'),
		place('ZAC', '99000'),
		place(null, '00000'),
	],
	broken: [5, '123', '123456', place('CMX', '17000'), place('JAL', '01000'), place('EM', '58000')],
};
export const state: Row = {
	allowed: [...STATES.split(' '), null].map((code) => place(code, null)),
	broken: [5, 'DF', 'jal', ''].map((code) => new Fields({ state: code, zipCode: null })),
};
export const country: Row = {
	allowed: [...COUNTRIES.split(' '), null],
	broken: [5, 'MEX', 'mx', '', 'XX'],
};
