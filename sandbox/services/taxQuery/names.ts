import { Type, type TObject, type TSchema } from '@sinclair/typebox';
import { DateTime } from 'luxon';
import type { QueryRecord } from '../../../contract/taxQuery';
import {
	OPERATION_PATHS_AND_SERVICE_CODES,
	type OperationName,
	type RenamableRecordFieldName,
	type TaxQueryMapping,
} from '../../apiMapping';
import type { SandboxOptions } from '../../options';
import { HttpError } from '../../plugins/errors';

const PERIOD_FIELDS = ['from', 'to'];
const MONTH = 'yyyy-MM';
const DAY = 'yyyy-MM-dd';

type Fields = Record<string, unknown>;
type Status = 'SUCCESS' | 'PENDING' | 'FAILED' | 'NOT_FOUND';

const trimmed = (path: string) => path.replace(/^\/+|\/+$/g, '');
const shifted = (
	text: string,
	from: [string, string],
	to: [string, string],
): string | undefined => {
	for (const [index, format] of from.entries()) {
		const time = DateTime.fromFormat(text, format, { zone: 'utc' });
		if (time.isValid && time.toFormat(format) === text) return time.toFormat(to[index]);
	}
	return undefined;
};

/**
 * Maps the document's paths, fields and words to those of this environment. Inside, the sandbox uses the document's
 * names; requests and responses are mapped here.
 */
export class ApiTranslator {
	private readonly mapping: TaxQueryMapping;
	private readonly statuses: Record<Status, string>;

	constructor(private readonly options: SandboxOptions) {
		this.mapping = options.mapping.taxQuery ?? {};
		const { statuses = {} } = this.mapping;
		const { statusWords } = options;
		const failed = statusWords.failed ?? statuses.failed?.[0] ?? 'FAILED';
		this.statuses = {
			SUCCESS: statusWords.success ?? statuses.success?.[0] ?? 'SUCCESS',
			PENDING: statusWords.pending ?? statuses.pending?.[0] ?? 'PENDING',
			FAILED: failed,
			NOT_FOUND: statusWords.notFound ?? statuses.notFound?.[0] ?? failed,
		};
	}

	/** It is below the base URL, written as a route. */
	path(operation: OperationName): string {
		const { tax = 'tax', [operation]: own } = this.mapping.paths ?? {};
		const path =
			own ??
			OPERATION_PATHS_AND_SERVICE_CODES[operation].path.replace('/tax/', `/${trimmed(tax)}/`);
		return `/${path.replace(/^\/+/, '')}`.replace('{queryId}', ':queryId');
	}

	get tokenPath(): string {
		return `/${trimmed(this.mapping.paths?.['oauth/token'] ?? 'oauth/token')}`;
	}

	get tokenRequest(): NonNullable<TaxQueryMapping['token']> {
		return this.mapping.token ?? {};
	}

	get list() {
		const {
			limit = 'limit',
			offset = 'offset',
			page = 'page',
			...others
		} = this.mapping.list ?? {};
		return {
			limit,
			offset,
			page,
			firstPage: others.firstPage ?? 1,
			pageSize: this.options.pageSize || (others.pageSize ?? 100),
			fixed: others.parameters ?? {},
		};
	}

	/** The environment's name of a field; '' if it has none. */
	fieldName(operation: OperationName, field: string): string {
		return this.mapping.fields?.[operation]?.[field] ?? field;
	}

	/** A request's schema under the environment's names. */
	body(operation: OperationName, schema: TObject): TSchema {
		const isFormatted = this.mapping.periodFormat !== undefined;
		const fields = Object.entries(schema.properties).flatMap(([field, property]) => {
			const name = this.fieldName(operation, field);
			const isPeriod = isFormatted && PERIOD_FIELDS.includes(field);
			return name === '' ? [] : [[name, isPeriod ? Type.String() : property] as const];
		});
		return Type.Object(Object.fromEntries(fields));
	}

	/** A request's fields under the document's names. Throws an HttpError if a period is not written as agreed. */
	read(operation: OperationName, schema: TObject, body: Fields): Fields {
		const read: Fields = {};
		for (const field of Object.keys(schema.properties)) {
			const value = body[this.fieldName(operation, field)];
			if (value === undefined) continue;
			read[field] = PERIOD_FIELDS.includes(field) ? this.day(String(value)) : value;
			if (read[field] === undefined)
				throw this.refusal(operation, field, 'is not written as agreed');
		}
		return read;
	}

	/** 400 that names a field as the environment does. */
	refusal(operation: OperationName, field: string, what: string): HttpError {
		const name = this.fieldName(operation, field);
		return new HttpError(400, `"${name}" in the body: ${what}`, name);
	}

	status(status: string): string {
		return this.statuses[status as Status] ?? status;
	}

	service(service: string): string {
		const operation = operationOf(service);
		return (operation && this.mapping.services?.[operation]) ?? service;
	}

	/** A record as a webhook call carries it. */
	record(record: QueryRecord): QueryRecord {
		const query = this.echo(record);
		return {
			...record,
			service: this.service(record.service),
			status: this.status(record.status),
			metadata: { ...record.metadata, query },
			query,
		};
	}

	/** A record as the response to its query. */
	toResponse(record: QueryRecord): object {
		return this.wrapped(this.record(record));
	}

	/** A record as `GET /query/{id}` gives it. */
	stored(record: QueryRecord): object {
		return this.wrapped(this.visible(record));
	}

	/** A page of records in the shape that the options say. */
	page(page: { data: QueryRecord[]; total: number; next: string | null }): unknown {
		const { queryList, listShape } = this.options;
		const rows = page.data.map((record) =>
			this.inWrapper(
				queryList === 'summary' ? withoutResponse(this.record(record)) : this.visible(record),
			),
		);
		if (queryList === 'array' && !listShape) return rows;
		const { rows: key, total } = listShape ?? { rows: 'data', total: 'total' };
		const mark = { hasMore: page.next !== null, next: page.next }[total ?? ''];
		return { [key]: rows, ...(total && { [total]: mark === undefined ? page.total : mark }) };
	}

	/** `GET /query` may hold a part of the list only. */
	get isPaged(): boolean {
		const { queryList, listShape, pageSize } = this.options;
		return queryList !== 'array' || listShape !== undefined || pageSize > 0;
	}

	/** With `--record no-response` it has no response. */
	private visible(record: QueryRecord): object {
		const whole = this.record(record);
		return this.options.record === 'no-response' ? without(whole, 'response') : whole;
	}

	/** A response of one record; `--record-envelope` wraps no other. */
	private wrapped(record: object): object {
		const { recordEnvelope } = this.options;
		const whole = this.inWrapper(record);
		return recordEnvelope ? { [recordEnvelope]: whole } : whole;
	}

	/** A record under the environment's names, in the wrapper that the mapping names. */
	inWrapper(record: object): object {
		const { wrapper } = this.mapping.record ?? {};
		const named = this.underOwnNames(record);
		return wrapper ? { [wrapper]: named } : named;
	}

	/** An object whose fields have the environment's names. */
	underOwnNames(fields: object): object {
		const { record = {} } = this.mapping;
		return Object.fromEntries(
			Object.entries(fields).map(([name, value]) => [
				record[name as RenamableRecordFieldName] ?? name,
				value,
			]),
		);
	}

	/** The time of an instant is ignored. */
	private day(text: string): string | undefined {
		const isFormatted = this.mapping.periodFormat !== undefined;
		const date = isFormatted ? text : text.replace(/T.*$/, '');
		return shifted(date, this.periodFormats, [MONTH, DAY]);
	}

	private get periodFormats(): [string, string] {
		const { months = MONTH, days = DAY } = this.mapping.periodFormat ?? {};
		return [months, days];
	}

	/** The request's fields, as they were sent. */
	private echo({ service, query }: QueryRecord): Fields {
		const operation = operationOf(service);
		if (!operation || (!this.mapping.fields && !this.mapping.periodFormat)) return query;
		return Object.fromEntries(
			Object.entries(query).map(([field, value]) => [
				this.fieldName(operation, field),
				PERIOD_FIELDS.includes(field)
					? shifted(String(value), [MONTH, DAY], this.periodFormats)
					: value,
			]),
		);
	}
}

function operationOf(service: string): OperationName | undefined {
	const operations = Object.keys(OPERATION_PATHS_AND_SERVICE_CODES) as OperationName[];
	return operations.find(
		(operation) => OPERATION_PATHS_AND_SERVICE_CODES[operation].service === service,
	);
}

function withoutResponse(record: QueryRecord): object {
	const { clientType } = record.metadata;
	return { ...without(record, 'response', 'query'), metadata: { clientType } };
}

const without = (record: object, ...names: string[]) =>
	Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
