import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { SandboxOptions } from '../../../sandbox';
import { OPERATION_PATHS_AND_SERVICE_CODES, type Mapping } from '../../../sandbox/apiMapping';
import { mappingArbitrary } from '../../support/mappedClient';

export type ApiVariant = Required<Mapping>;

/** Shapes of answers that the documents leave open: lists with a total, with a link, and without responses. */
const shapes: Array<Partial<SandboxOptions>> = [
	{
		listShape: { rows: 'consultas', total: 'totalCount' },
		tokenShape: 'data',
		tokenExpiresIn: 'text',
	},
	{
		listShape: { rows: 'items', total: 'next' },
		recordEnvelope: 'consulta',
		tokenShape: 'camel',
		tokenExpiresIn: 'zero',
	},
	{ queryList: 'summary', recordEnvelope: 'x', noRefreshToken: true, tokenExpiresIn: 'absent' },
];

/** Three environments with a random word for every key that a mapping has. DIALECT_SEED makes others. */
export const sampledApiVariants = fc
	.sample(mappingArbitrary, { numRuns: shapes.length, seed: Number(process.env.DIALECT_SEED ?? 7) })
	.map((mapping, index) => ({ environment: index + 1, mapping, shape: shapes[index] }));

/** A text with the words of an environment's records in those of the document. */
export function inReferenceNames(output: unknown, { taxQuery }: ApiVariant): unknown {
	const words = new Map<string, string>();
	for (const [operation, service] of Object.entries(taxQuery.services ?? {})) {
		words.set(
			service,
			OPERATION_PATHS_AND_SERVICE_CODES[operation as keyof typeof OPERATION_PATHS_AND_SERVICE_CODES]
				.service,
		);
	}
	const documented = { success: 'SUCCESS', pending: 'PENDING', failed: 'FAILED' };
	for (const [state, [word]] of Object.entries(taxQuery.statuses ?? {})) {
		words.set(word, documented[state as keyof typeof documented]);
	}
	for (const fields of Object.values(taxQuery.fields ?? {})) {
		for (const [field, word] of Object.entries(fields)) words.set(word, field);
	}
	let text = JSON.stringify(output);
	for (const [word, meaning] of words) text = text.replaceAll(`"${word}"`, `"${meaning}"`);
	return JSON.parse(text) as unknown;
}

/** It depends on when and how often something ran. */
const PASSING = ['createdAt', 'updatedAt', 'ageHours', 'deliveryId', 'expirationDate'];

export function stripVolatileFields(json: unknown): unknown {
	if (Array.isArray(json)) return json.map(stripVolatileFields);
	if (typeof json !== 'object' || json === null) return json;
	return Object.fromEntries(
		Object.entries(json as IDataObject)
			.filter(([name]) => !PASSING.includes(name))
			.map(([name, value]) => [name, stripVolatileFields(value)]),
	);
}
