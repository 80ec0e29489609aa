import type { IDataObject, INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import type { Field } from '../../shared/operations/field';
import type { Warning } from '../fields/identifiers';
import type { QueryService } from '../queries/catalog';

/** What an item asks, read from its parameters and checked offline. */
export interface QueryInput {
	/** The fields of the body under their names in the document; an empty text is left out of it. */
	fields: IDataObject;
	/** Names of those that must appear in no error, output or comparison. */
	secret?: string[];
	/** The records that it makes, one for each query that is billed; by default one that echoes its fields. */
	records?: RecordInput[];
	/** The inputs that ask for some of these records only; without it they are asked for together or not at all. */
	only?(records: RecordInput[]): QueryInput[];
	warnings: Warning[];
}

/** A record that a query makes, under the document's names. */
export interface RecordInput {
	/** Fields by which it is known. */
	echo: IDataObject;
	/** Whether a record with this echo asked for neither more nor less; by default one that echoes no other field. */
	isExact?(echo: IDataObject): boolean;
}

/** One of the queries that cost money (TQ §4.2 to §4.11): they differ only by service and fields. */
export interface PaidQuery {
	/** Its row of the catalogue: path, code, and whether its result comes at once. */
	service: QueryService;
	/** Title Case, as shown in the selector. */
	name: string;
	/** Sentence case, as shown in the node panel. */
	action: string;
	description: string;
	/** Below the node on the canvas, where that should be shorter than the action. */
	subtitle?: string;
	/** Its fields, which make one input. Throws a UserError that names the field. */
	input: Field<QueryInput>;
	/** Entries of the "Options" collection that `input` reads. */
	options?: INodeProperties[];
	/** A credential that it needs beside the service's own. */
	credential?: INodeCredentialDescription;
	/** The service refuses it while there is no tax profile for its RFC. */
	needsProfile?: true;
	/** It gets no data that a second run could reuse. */
	isNotReusable?: true;
}
