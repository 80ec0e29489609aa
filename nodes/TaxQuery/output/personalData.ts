import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import {
	rulesToHideFields,
	buildShownFieldRules,
	type PersonalDataRuleByField,
	type PersonalDataRule,
} from '../../shared/personalData/rules';
import { findQueryTypeByRecordCode } from '../client/names';
import type { QueryType } from '../../shared/queryTypes/catalog';

// These rules name what is personal in a query record (TQ §2). An object or field without a rule is hidden whole.

/** The request's fields (TQ §4), which are echoed; of a birth date the year stays. */
export const requestPersonalDataRules: PersonalDataRuleByField = {
	...rulesToHideFields('rfc curp name firstLastName secondLastName day month'),
	...buildShownFieldRules('year period from to'),
};

/** TQ §2.3 */
const taxpayer: PersonalDataRuleByField = {
	...rulesToHideFields(
		'RFC RazonSocial RFCRepresentante CURPRepresentante EmailContacto NumeroCertificado',
	),
	...rulesToHideFields('Municipio Ciudad OficinaPostal Zona CodigoPostal'),
	...buildShownFieldRules('ValidoDesde ValidoHasta EstadoCertificado Valido Estado EstadoISO'),
};

/** Rules for the documented responses, by operation (TQ §2.2 to §2.4); the others are not shown. */
const responses: Record<string, PersonalDataRule | undefined> = {
	calculateRfc: rulesToHideFields('rfc'),
	getCrf: taxpayer,
	getRfcData: taxpayer,
	getCurpData: {
		...rulesToHideFields('rfc curp nombre apellidoPaterno apellidoMaterno sexo fechaNacimiento'),
		...rulesToHideFields('paisNacimiento estadoNacimiento codigoValidacion'),
		...buildShownFieldRules('estatus docProbatorio estatusCurp codigoMensaje'),
	},
};

/** Names are those of the contract. */
const requestedFields = (
	queryType: QueryType | undefined,
	{ fields }: TaxQueryMapping,
): PersonalDataRuleByField => {
	const names = fields[queryType?.operation ?? ''] ?? {};
	const own = Object.entries(names).map(([name, mapped]) => [
		mapped,
		requestPersonalDataRules[name] ?? 'free',
	]);
	return { ...requestPersonalDataRules, ...(Object.fromEntries(own) as PersonalDataRuleByField) };
};

/** A query record (TQ §2.1) or an acknowledgement (TQ §2.5, §4.11). */
export function ruleForWholeQueryRecord(
	record: IDataObject,
	mapping: TaxQueryMapping,
	known?: QueryType,
): PersonalDataRule {
	const queryType = known ?? findQueryTypeByRecordCode(record.service, mapping);
	const query = requestedFields(queryType, mapping);
	return {
		...query,
		...buildShownFieldRules(
			'_id id queryId service status authentication organizationId organizationSlug',
		),
		...buildShownFieldRules('profileId createdAt updatedAt'),
		metadata: { ...buildShownFieldRules('clientType'), query },
		query,
		response: responses[queryType?.operation ?? ''] ?? 'free',
		results: buildShownFieldRules('queryId period status'),
	};
}
