import type { IDataObject } from 'n8n-workflow';
import type { RecordFieldName, TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { mapKeys } from '../../shared/utils/objects';
import { isObject } from '../../shared/utils/json';
import { invertNames } from '../../shared/utils/invertNames';

export type RecordMapping = Pick<TaxQueryMapping, 'record'>;

export const wireName = ({ record }: RecordMapping, name: RecordFieldName): string =>
	record[name] ?? name;

/** The content of a record that comes wrapped; the object itself where the wrapper is not there. */
const unwrap = (body: IDataObject, { record: { wrapper } }: RecordMapping): IDataObject => {
	const inside = wrapper === undefined ? undefined : body[wrapper];
	return isObject(inside) ? inside : body;
};

const renaming = ({ record }: RecordMapping) => invertNames({ ...record, wrapper: '' });

function rename(fields: IDataObject, names: Map<string, string>): IDataObject {
	if (names.size === 0) return fields;
	return mapKeys(fields, (name) => names.get(name) ?? name);
}

/** Takes off the wrapper. */
export const fromRecordWireNames = (body: IDataObject, mapping: RecordMapping): IDataObject =>
	rename(unwrap(body, mapping), renaming(mapping));

export const toRecordWireNames = (fields: IDataObject, mapping: RecordMapping): IDataObject =>
	rename(fields, new Map([...renaming(mapping)].map(([wire, name]) => [name, wire])));
