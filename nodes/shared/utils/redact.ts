import { mapKeys, mapValues } from './objects';
import { isObject } from './json';
import { knownSecretDetector } from './secretDetector';

export const MASK = '***';
/** Values nested deeper are masked whole; no meaningful response is. */
const MAX_REDACTED_DEPTH = 500;

/** A copy of a JSON value in which every text, number or key that repeats one of these secrets is masked. */
export function redactSecretsInValue<T>(json: T, secrets: string[]): T {
	const holdsSecret = knownSecretDetector(secrets);
	const safeKey = (key: string) => (holdsSecret(key) ? MASK : key);
	const copy = (value: unknown, depth: number): unknown => {
		if (typeof value === 'string' || typeof value === 'number') {
			return holdsSecret(String(value)) ? MASK : value;
		}
		if (depth > MAX_REDACTED_DEPTH) return MASK;
		if (Array.isArray(value)) return value.map((one) => copy(one, depth + 1));
		if (!isObject(value)) return value;
		return mapKeys(
			mapValues(value, (inner) => copy(inner, depth + 1)),
			safeKey,
		);
	};
	return secrets.some((secret) => secret !== '') ? (copy(json, 0) as T) : json;
}

/** Secrets this long are random: a result that repeats one does so because it repeats the request. */
const RANDOM = 16;

/** The body of a good response, in which nothing is changed but texts that repeat a secret of the request. */
export const redactLongSecretsInValue = <T>(body: T, secrets: string[]): T =>
	redactSecretsInValue(
		body,
		secrets.filter(({ length }) => length >= RANDOM),
	);

/**
 * Goes to any depth; names are in lower case. The original values are added to `found`. Without any, the value
 * itself is returned.
 */
export function maskNamed(
	json: unknown,
	names: string[],
	found: string[],
	isNamed = false,
	depth = 0,
): unknown {
	if (typeof json === 'string' || typeof json === 'number') {
		if (!isNamed || json === '' || json === MASK) return json;
		found.push(String(json));
		return MASK;
	}
	if (typeof json !== 'object' || json === null) return json;
	if (depth > MAX_REDACTED_DEPTH) return MASK;
	const mask = (value: unknown, isSecret: boolean) =>
		maskNamed(value, names, found, isSecret, depth + 1);
	if (Array.isArray(json)) {
		const masked = json.map((value) => mask(value, isNamed));
		return masked.every((value, index) => value === json[index]) ? json : masked;
	}
	const fields = json as Record<string, unknown>;
	const masked = mapValues(fields, (value, key) =>
		mask(value, isNamed || names.includes(key.toLowerCase())),
	);
	return Object.keys(masked).every((key) => masked[key] === fields[key]) ? json : masked;
}
