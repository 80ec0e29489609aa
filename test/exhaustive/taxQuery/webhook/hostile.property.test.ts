import fc from 'fast-check';
import { readFilterSettings } from '../../../../nodes/TaxQuery/trigger/filters';
import { dispositionOf } from '../../../../nodes/TaxQuery/trigger/disposition';
import { toResult } from '../../../../nodes/TaxQuery/trigger/result';
import { itemMaker } from '../../../../nodes/TaxQuery/trigger/item';
import type { TriggerSettings } from '../../../../nodes/TaxQuery/trigger/settings';
import { readTaxQueryApiMapping } from '../../../../nodes/shared/credentials/apiMapping';
import { parseRecord } from '../../../../nodes/TaxQuery/client/record';
import { parsePayload } from '../../../../nodes/TaxQuery/webhook/payload';
import { limitByTrust } from '../../../../nodes/TaxQuery/webhook/trust';

const asDocumented = readTaxQueryApiMapping({});

/** The code reads these names; others are JavaScript's own. */
const names = fc.constantFrom(
	...['_id', 'id', 'queryId', 'status', 'service', 'response', 'query', 'metadata', 'state'],
	...['data', 'payload', 'result', 'event', 'type', 'createdAt', 'updatedAt', 'message'],
	...['toString', 'valueOf', 'toJSON', 'length', 'then', 'constructor', '__proto__', 'prototype'],
	...['hasOwnProperty', 'Symbol.toPrimitive', '', 'RFC', 'FISCAL_DATA', 'fechaNacimiento'],
);
const leaf = fc.oneof(
	fc.constantFrom<unknown>(
		...[null, true, 0, -1, 1e308, '', 'a1', 'CRF', 'SUCCESS', 'PENDING', 'CURP', '31/12/1956'],
		...['2026-01-01T00:00:00Z', '+275760-09-14', '\u0000', '../x', '§', [], {}],
	),
	fc.string(),
	fc.double(),
);
const { json } = fc.letrec((tie) => ({
	json: fc.oneof(
		{ maxDepth: 4 },
		leaf,
		fc.array(tie('json'), { maxLength: 4 }),
		fc.dictionary(names, tie('json'), { maxKeys: 6 }),
	),
}));
const record = fc
	.tuple(fc.dictionary(names, json, { maxKeys: 8 }), fc.constantFrom('_id', 'queryId', 'id'))
	.map(([fields, name]) => JSON.stringify({ ...fields, [name]: 'a1' }));

describe('a body that somebody invents', () => {
	it.each([
		['any JSON', 20_000, json.map((value) => JSON.stringify(value) ?? '')], // hardly any is a record
		['a record with any values', 8_000, record],
	])('never throws, wherever it is read: %s', (_, numRuns, bodies) => {
		const choices = ['getCrf', ''].map((services) => readFilterSettings(services, 'success', 'X'));
		const settings = { isAuthenticated: true, confirm: 'off' } as TriggerSettings;
		const deployment = { mapping: asDocumented, pseudonymKey: '' };
		const plain = { options: {}, hasEnvelope: false };
		const makers = [
			itemMaker({ ...plain, simplify: true, personalData: 'full' }, deployment),
			itemMaker({ ...plain, simplify: false, personalData: 'masked' }, deployment),
		];
		let read = 0;
		fc.assert(
			fc.property(bodies, (body) => {
				const payload = parsePayload(Buffer.from(body), { record: {} });
				if (!('announced' in payload)) return;
				for (const announced of payload.announced) {
					const message = limitByTrust(announced, settings, asDocumented, ['secret']);
					const { event, envelope } = message;
					const record = parseRecord(announced.record, asDocumented);
					if (!record) continue;
					const result = toResult(record);
					for (const choice of choices) dispositionOf(result, choice);
					for (const toItem of makers)
						JSON.stringify(toItem(result, { confirmed: false, event, envelope: envelope?.fields }));
					read++;
				}
			}),
			{ numRuns, seed: 14 },
		);
		expect(read).toBeGreaterThan(20);
	});
});
