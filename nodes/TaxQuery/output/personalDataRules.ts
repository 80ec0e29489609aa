import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import {
	personalRulesFor,
	shownRulesFor,
	type PersonalDataRuleByField,
	type PersonalDataRule,
} from '../../shared/personalData/personalDataRuleTypes';
import { queryTypeOf, type QueryType } from '../client/queryTypeMapping';

// These rules name what is personal in a query record (TQ §2). An object or field without a rule is hidden whole.

/** The request's fields (TQ §4), which are echoed; of a birth date the year stays. */
export const requestPersonalDataRules: PersonalDataRuleByField = {
	...personalRulesFor('rfc curp name firstLastName secondLastName day month'),
	...shownRulesFor('year period from to'),
};

/** TQ §2.3 */
const taxpayer: PersonalDataRuleByField = {
	...personalRulesFor(
		'RFC RazonSocial RFCRepresentante CURPRepresentante EmailContacto NumeroCertificado',
	),
	...personalRulesFor('Municipio Ciudad OficinaPostal Zona CodigoPostal'),
	...shownRulesFor('ValidoDesde ValidoHasta EstadoCertificado Valido Estado EstadoISO'),
};

/** Rules for the documented responses, by operation (TQ §2.2 to §2.4); the others are not shown. */
const responses: Record<string, PersonalDataRule | undefined> = {
	calculateRfc: personalRulesFor('rfc'),
	getCrf: taxpayer,
	getRfcData: taxpayer,
	getCurpData: {
		...personalRulesFor('rfc curp nombre apellidoPaterno apellidoMaterno sexo fechaNacimiento'),
		...personalRulesFor('paisNacimiento estadoNacimiento codigoValidacion'),
		...shownRulesFor('estatus docProbatorio estatusCurp codigoMensaje'),
	},
};

/** Returns the requested fields, under the names of the contract. */
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
export function queryRecordRule(
	record: IDataObject,
	mapping: TaxQueryMapping,
	known?: QueryType,
): PersonalDataRule {
	const queryType = known ?? queryTypeOf(record.service, mapping);
	const query = requestedFields(queryType, mapping);
	return {
		...query,
		...shownRulesFor(
			'_id id queryId service status authentication organizationId organizationSlug',
		),
		...shownRulesFor('profileId createdAt updatedAt'),
		metadata: { ...shownRulesFor('clientType'), query },
		query,
		response: responses[queryType?.operation ?? ''] ?? 'free',
		results: shownRulesFor('queryId period status'),
	};
}
