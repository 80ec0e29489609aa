import { base, en, es, es_MX, Faker, mergeLocales, type Randomizer } from '@faker-js/faker';

const LOCALE = mergeLocales([es_MX, es, en, base]);

/** FNV-1a, 32 bits. */
function hash(text: string): number {
	let value = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
	}
	return value >>> 0;
}

/** Mulberry32: starts at once, where Faker's own generator fills 624 numbers for each of thousands of documents. */
function mulberry32(state: number): () => number {
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** `fakerFor` sets it: all fakers share one generator. */
let next = mulberry32(0);
const randomizer: Randomizer = { next: () => next(), seed: () => {} };
/** Making a faker takes a hundred times as long as using it, so all share one. */
const SHARED = new Faker({ locale: LOCALE, randomizer });

/** An equal seed and key give equal data, whatever was generated before. */
export function fakerFor(seed: number, key: string): Faker {
	const own = mulberry32(hash(`${seed} ${key}`));
	return new Proxy(SHARED, {
		get: (faker, part: keyof Faker) => {
			next = own;
			return faker[part];
		},
	});
}
