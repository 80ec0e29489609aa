import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { queryTypesByOperation } from '../../shared/queryTypes/catalog';
import { maskNamed, redactSecretsInValue } from '../../shared/utils/redact';
import { textOf } from '../../shared/utils/primitiveText';
import { findQueryTypeByRecordCode } from './names';

/** Names are in lower case. */
const namesOfCiec = ({ fields }: Pick<TaxQueryMapping, 'fields'>): string[] =>
	['ciec', textOf(fields.createTaxProfile?.ciec).toLowerCase()].filter((name) => name !== '');

export const isCiecReferenceName = (name: string): boolean => /^ciec$/i.test(name);

const PASSWORD_NAMES = ['password', 'contrasena', 'contraseña'];
/** Fields of a record, or of a webhook call around it, that may repeat the request. */
const ECHOES = ['query', 'metadata', 'envelope'];
/** Fields that identify a record; an equal secret does not change them. */
const RECORD_IDENTITY = ['queryId', '_id', 'service', 'status', 'createdAt', 'updatedAt'];
/** Shorter values (`"ciec": "SI"`) only report that there is a CIEC. */
const SHORTEST_CIEC = 4;
/** Each is searched in the whole record; a record of one person has no more. */
const MOST_CIECS = 10;

/**
 * Returns a record without the CIEC, which a tax profile's record may repeat (TQ §2.1, §4.8). It is masked under its
 * name, and wherever the record repeats its text. A record of an unknown query type may be a tax profile's, too.
 */
export function maskCiecInRecord(record: IDataObject, mapping: TaxQueryMapping): IDataObject {
	const { createTaxProfile } = queryTypesByOperation;
	const known = findQueryTypeByRecordCode(record.service, mapping);
	const anywhere =
		(known ?? createTaxProfile) === createTaxProfile ? ['ciec', ...PASSWORD_NAMES] : ['ciec'];
	const inEcho = [...(anywhere.length > 1 ? namesOfCiec(mapping) : []), ...anywhere];
	if (known === createTaxProfile) inEcho.push('clave');
	const found: string[] = [];
	const masked = Object.entries(record).map(([key, value]) => {
		const names = ECHOES.includes(key) ? inEcho : anywhere;
		return [key, maskNamed(value, names, found, anywhere.includes(key.toLowerCase()))];
	});
	if (masked.every(([key, value]) => value === record[key as string])) return record;
	const long = found.filter(({ length }) => length >= SHORTEST_CIEC);
	const ciecs = [...new Set(long)].slice(0, MOST_CIECS);
	const safe = redactSecretsInValue(Object.fromEntries(masked) as IDataObject, ciecs);
	for (const key of RECORD_IDENTITY) if (key in record) safe[key] = record[key];
	return safe;
}
