import { storedLogin } from '../../shared/operations/loginSource';
import type { Resource } from '../../shared/operations/operation';
import { byRfc, rfc, rfcCheckOptions } from '../fields/identifiers';
import { period } from '../fields/period';
import { profile } from '../fields/taxProfile';
import { paidQueryOperation } from '../paidQuery/operation';
import { catalog } from '../service/names';
import { serviceOfItem } from '../service/client';
import { invoicesOf } from './invoices';

const createTaxProfile = paidQueryOperation({
	service: catalog.createTaxProfile,
	name: 'Create Tax Profile',
	action: 'Create tax profile',
	tool: 'Register a taxpayer with its stored CIEC. Needed once before queries of the tax authority. RFC: 12 characters (company) or 13 (person), with homoclave.',
	price: 'what your contract says for a new profile, which may be one query per item',
	description:
		'Allow the queries of the tax authority about an RFC, by its CIEC (the password at the tax authority); needed once before them. May cost money.',
	hasNoResult: true,
	hasNoShownResponse: true,
	input: profile,
	credential: storedLogin,
	options: rfcCheckOptions,
});

const getCsf = paidQueryOperation({
	...byRfc,
	service: catalog.getCsf,
	name: 'Get Fiscal Situation (CSF)',
	action: 'Get fiscal situation (CSF)',
	tool: 'Ask for the fiscal situation (CSF) of a taxpayer with a tax profile. RFC: 12 characters (company) or 13 (person), with homoclave.',
	description:
		'Ask for the fiscal situation of an RFC (constancia de situación fiscal), which needs a tax profile. Each query costs money.',
	hasNoShownResponse: true,
	needsProfile: true,
});

const getComplianceOpinion = paidQueryOperation({
	...byRfc,
	service: catalog.getComplianceOpinion,
	name: 'Get Compliance Opinion (32D)',
	action: 'Get compliance opinion (32D)',
	tool: 'Ask for the tax compliance opinion (32D) of a taxpayer with a tax profile. RFC: 12 characters (company) or 13 (person), with homoclave.',
	subtitle: 'Get opinion (32D)',
	description:
		'Ask for the opinion on the tax compliance of an RFC (opinión de cumplimiento, 32D), which needs a tax profile. The result follows later. Each query costs money.',
	needsProfile: true,
});

const getInvoices = paidQueryOperation({
	service: catalog.getInvoices,
	name: 'Get Invoices',
	action: 'Get invoices of taxpayer',
	tool: 'Ask for the invoices (CFDI) of a taxpayer with a tax profile, one result per month. RFC: 12 characters (company) or 13 (person), with homoclave.',
	subtitle: 'Get invoices (CFDI)',
	price: 'one query per item and month',
	description:
		'Ask for the invoices of an RFC (CFDI, facturas) in a period; it needs a tax profile. Gives one item for each month, each of which costs money; the results follow later.',
	needsProfile: true,
	input: {
		properties: [...rfc.properties, ...period.properties],
		async read(item) {
			const { value, warnings } = await rfc.read(item);
			const { mapping } = await serviceOfItem(item);
			return invoicesOf(value, await period.read(item), mapping, warnings);
		},
	},
	options: rfcCheckOptions,
});

export const taxAuthority: Resource = {
	name: 'Tax Authority',
	value: 'taxAuthority',
	operations: [createTaxProfile, getCsf, getComplianceOpinion, getInvoices],
};
