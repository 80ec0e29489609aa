import type { TSchema } from '@sinclair/typebox';

/** Texts of a query parameter that a service accepts, and such that it refuses. */
export interface ValidAndInvalidValues {
	valid: string[];
	invalid: string[];
}

/** One endpoint of CP §4 or TQ §4, with requests that it accepts, and such that break a constraint. */
export interface EndpointTestCase {
	section: string;
	method: 'GET' | 'POST';
	/** As the OpenAPI page shows it, below the base URL of its service. */
	path: string;
	response: TSchema;
	/** The record with its result, where the document shows it and it comes later. */
	record?: TSchema;
	/** Fields that the schema names, and this endpoint never sends. */
	unsent?: string[];
	service?: string;
	valid?: object[];
	/** Each body with the field that the refusal names. */
	invalid?: Array<[field: string | undefined, body: unknown]>;
	query?: Record<string, ValidAndInvalidValues>;
	invalidIds?: string[];
}
