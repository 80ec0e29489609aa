import { Type, type Static } from '@sinclair/typebox';

const rfc = Type.String({ format: 'rfc' });
const curp = Type.String({ format: 'curp' });

/** TQ §4.3 */
export const RfcCalculatorBody = Type.Object({
	name: Type.String({ minLength: 1 }),
	firstLastName: Type.String({ minLength: 1 }),
	secondLastName: Type.Optional(Type.String()),
	day: Type.Integer({ minimum: 1, maximum: 31 }),
	month: Type.Integer({ minimum: 1, maximum: 12 }),
	year: Type.Integer({ minimum: 1900, maximum: 2100 }),
});
export type RfcCalculatorBody = Static<typeof RfcCalculatorBody>;

/** TQ §4.4, TQ §4.5, TQ §4.9; for TQ §4.2 and TQ §4.10 the field's name is not shown. */
export const RfcOnlyBody = Type.Object({ rfc });
export type RfcOnlyBody = Static<typeof RfcOnlyBody>;

/** TQ §4.6; for TQ §4.7 the field's name is not shown. */
export const CurpOnlyBody = Type.Object({ curp });
export type CurpOnlyBody = Static<typeof CurpOnlyBody>;

/** TQ §4.8: the fields' names are not shown. */
export const TaxProfileBody = Type.Object({ rfc, ciec: Type.String({ minLength: 1 }) });
export type TaxProfileBody = Static<typeof TaxProfileBody>;

/** A month, a day of it, or an instant of that day: ISO 8601, with or without fraction and zone. */
const month = Type.Union([
	Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' }),
	Type.String({ format: 'date' }),
	Type.String({
		pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2})?$',
	}),
]);

/** TQ §4.11: the fields' names and the period's format are not shown. */
export const InvoicesBody = Type.Object({ rfc, from: month, to: month });
export type InvoicesBody = Static<typeof InvoicesBody>;
