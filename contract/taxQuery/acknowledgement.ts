import { Type } from '@sinclair/typebox';

const text = Type.String();

/** TQ §2.5 */
export const Acknowledgement = Type.Object({ message: text, queryId: text });

/** TQ §4.11: one item for each period, at first PENDING. */
export const InvoiceAcknowledgement = Type.Object({
	message: text,
	results: Type.Array(
		Type.Object({
			queryId: text,
			period: Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' }),
			status: text,
		}),
	),
});
