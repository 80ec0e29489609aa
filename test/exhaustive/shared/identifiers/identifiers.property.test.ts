import fc from 'fast-check';
import { DateTime } from 'luxon';
import {
	findIdentifierContradictions,
	checkCurp,
	checkNss,
	checkRfc,
	checkZipCode,
} from '../../../../nodes/shared/identifiers';
import vectors from '../../../fixtures/identifier-vectors.json';

const TODAY = new Date('2026-11-20T12:00:00Z');
const CHECKS = [
	['RFC', (value: unknown) => checkRfc(value, TODAY)],
	['CURP', (value: unknown) => checkCurp(value, TODAY)],
	['NSS', checkNss],
	['zip code', checkZipCode],
] as const;

const known = [
	...[vectors.rfcValid, vectors.rfcInvalid, vectors.rfcShort, vectors.curpValid].flat(),
	...[vectors.curpInvalid, vectors.nssValid, vectors.nssInvalid].flat(),
].map(({ value }) => value);

/** Text that comes near to an identifier: a known one in which a piece is replaced by something awkward. */
const nearlyAnIdentifier = fc
	.tuple(
		fc.constantFrom(...known, ...vectors.zipState.map(({ zip }) => zip)),
		fc.nat(18),
		fc.nat(2),
		fc.oneof(
			fc.constantFrom(
				'\u0303',
				'n\u0303',
				'&amp;',
				'&amp;amp;',
				'&amp',
				';',
				'/',
				'-',
				' ',
				'\u200b',
				'\u212a',
				'İ',
				'ß',
			),
			fc.string({ unit: 'binary', maxLength: 3 }),
		),
	)
	.map(([text, at, removed, piece]) => text.slice(0, at) + piece + text.slice(at + removed));

const text = fc.oneof(nearlyAnIdentifier, fc.string({ unit: 'binary' }), fc.string());
const anything = fc.oneof(
	text,
	fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
);
const RUNS = { numRuns: 1_000 };

describe.each(CHECKS)('the check of a %s', (_, check) => {
	it('never throws, and is valid exactly where it has no errors', () => {
		fc.assert(
			fc.property(anything, (value) => {
				const { valid, errors } = check(value);
				expect(valid).toBe(errors.length === 0);
			}),
			RUNS,
		);
	});

	it('finds the same again in its own normalised output', () => {
		fc.assert(
			fc.property(text, (value) => {
				const first = check(value);
				expect(check(first.normalized)).toEqual(first);
			}),
			RUNS,
		);
	});

	it('gives messages that do not repeat the identifier', () => {
		fc.assert(
			fc.property(nearlyAnIdentifier, (value) => {
				const { normalized, errors, warnings } = check(value);
				fc.pre(normalized.length >= 5);
				expect(JSON.stringify([errors, warnings])).not.toContain(normalized);
			}),
			RUNS,
		);
	});
});

it('never throws on any zip code and state', () => {
	fc.assert(
		fc.property(fc.constantFrom('01000', 1000, '99999'), anything, (zipCode, state) => {
			expect(checkZipCode(zipCode, state).errors).toBeInstanceOf(Array);
		}),
		RUNS,
	);
});

it('never throws on any combination of identifiers', () => {
	const identifiers = fc.record(
		{ rfc: anything, curp: anything, birthDate: text },
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(identifiers, (given) => {
			expect(findIdentifierContradictions(given, TODAY)).toBeInstanceOf(Array);
		}),
		RUNS,
	);
});

it('takes exactly the dates that the calendar has, in either century', () => {
	const two = fc.nat(99).map((number) => String(number).padStart(2, '0'));
	const month = fc.nat(13).map((number) => String(number).padStart(2, '0'));
	const day = fc.nat(32).map((number) => String(number).padStart(2, '0'));
	fc.assert(
		fc.property(two, month, day, (yy, mm, dd) => {
			const existing = [`19${yy}-${mm}-${dd}`, `20${yy}-${mm}-${dd}`].filter(
				(date) => DateTime.fromISO(date).isValid,
			);
			const { valid, dateCandidates } = checkRfc(`GODE${yy}${mm}${dd}`, TODAY);
			expect({ valid, dateCandidates }).toEqual({
				valid: existing.length > 0,
				dateCandidates: existing.filter((date) => date <= '2026-11-20'),
			});
		}),
		RUNS,
	);
});

it('refuses every NSS with one digit changed', () => {
	fc.assert(
		fc.property(
			fc.constantFrom(...vectors.nssValid.map(({ value }) => value)),
			fc.nat(10),
			fc.integer({ min: 1, max: 9 }),
			(nss, at, by) => {
				const changed = nss.slice(0, at) + ((Number(nss[at]) + by) % 10) + nss.slice(at + 1);
				expect(checkNss(changed).errors).toMatchObject([{ code: 'DIGIT' }]);
			},
		),
	);
});
