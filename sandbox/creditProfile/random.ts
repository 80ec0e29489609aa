import { en, es, es_MX, base, Faker } from '@faker-js/faker';

/** FNV-1a, 32 bits. */
function hash(text: string): number {
	let value = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
	}
	return value >>> 0;
}

/** Mexican life-like data that the same seed and key give again, whatever was asked for in between. */
export function fakerFor(seed: number, key: string): Faker {
	return new Faker({ locale: [es_MX, es, en, base], seed: hash(`${seed} ${key}`) });
}
