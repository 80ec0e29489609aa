import type { Resource } from '../../shared/operations/operation';
import {
	rfcInputWithCheckOptions,
	rfcField,
	rfcCheckOptionProperties,
	RFC_TOOL_DESCRIPTION,
} from '../fields/identifiers';
import { getOpenPeriodWarnings, periodField } from '../fields/period';
import { taxProfileInput } from '../fields/taxLogin';
import { queryTypesByOperation } from '../../shared/queryTypes/catalog';
import { itemClient } from '../client/queryClient';
import { defineBilledQueryOperation } from './billedQuery';
import { invoiceInput } from './invoices';

const createTaxProfile = defineBilledQueryOperation({
	queryType: queryTypesByOperation.createTaxProfile,
	name: 'Create Tax Profile',
	does: "Register a taxpayer's CIEC (tax-authority password). Needed once before CSF, 32D and invoice queries",
	takes: `${RFC_TOOL_DESCRIPTION}. The CIEC comes from the credential`,
	price: 'what your contract says for a new profile, perhaps one query',
	hasNoResult: true,
	hasNoShownResponse: true,
	input: taxProfileInput,
	options: rfcCheckOptionProperties,
});

const getCsf = defineBilledQueryOperation({
	...rfcInputWithCheckOptions,
	queryType: queryTypesByOperation.getCsf,
	name: 'Get Fiscal Situation (CSF)',
	does: 'Get the fiscal situation of an RFC (constancia de situación fiscal)',
	hasNoShownResponse: true,
	needsProfile: true,
});

const getComplianceOpinion = defineBilledQueryOperation({
	...rfcInputWithCheckOptions,
	queryType: queryTypesByOperation.getComplianceOpinion,
	name: 'Get Compliance Opinion (32D)',
	subtitle: 'Get opinion (32D)',
	does: 'Get the opinion on the tax compliance of an RFC (opinión de cumplimiento, 32D)',
	needsProfile: true,
});

const getInvoices = defineBilledQueryOperation({
	queryType: queryTypesByOperation.getInvoices,
	name: 'Get Invoices',
	action: 'Get invoices of taxpayer',
	subtitle: 'Get invoices (CFDI)',
	does: 'Get the invoices of an RFC in a period (CFDI, facturas), one item per month',
	takes: RFC_TOOL_DESCRIPTION,
	price: 'one query per different item and month',
	needsProfile: true,
	input: {
		properties: [...rfcField.properties, ...periodField.properties],
		async read(item) {
			const { value, warnings } = await rfcField.read(item);
			const { mapping } = await itemClient(item);
			const period = await periodField.read(item);
			const all = [...warnings, ...getOpenPeriodWarnings(period)];
			return invoiceInput(value, period, mapping, all);
		},
	},
	options: rfcCheckOptionProperties,
});

export const taxAuthority: Resource = {
	name: 'Tax Authority',
	value: 'taxAuthority',
	operations: [createTaxProfile, getCsf, getComplianceOpinion, getInvoices],
};
