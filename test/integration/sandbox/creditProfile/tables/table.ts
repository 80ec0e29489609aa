import type { TSchema } from '@sinclair/typebox';
import type { Row } from '../../support/constraints';

/** One table of CP §2. */
export interface ResourceTable {
	section: string;
	name: keyof Samples;
	schema: TSchema;
	/** "No other properties". */
	isClosed: boolean;
	rows: Record<string, Row>;
}

/** Describes what the running sandbox answered, by resource. */
export interface Samples {
	Credential: object[];
	Collection: object[];
	'Embedded version': object[];
	Version: object[];
	'Restricted schema': object[];
	User: object[];
	Document: object[];
	Profile: object[];
	Form: object[];
	'formConfig of a form': object[];
	File: object[];
}

/** The tables of CP §2 of the Credit Profile document, with what the sandbox's contract must let pass and refuse. */
