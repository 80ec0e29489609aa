import type { Resource } from '../../shared/operations/operation';
import { companyRfcInputWithCheckOptions } from '../fields/identifiers';
import { queryTypesByOperation } from '../../shared/queryTypes/catalog';
import { defineBilledQueryOperation } from './billedQuery';

const getShareholders = defineBilledQueryOperation({
	...companyRfcInputWithCheckOptions,
	queryType: queryTypesByOperation.getShareholders,
	name: 'Get Shareholders',
	action: 'Get shareholders of company',
	subtitle: 'Get shareholders',
	does: 'Get the shareholders of a company (accionistas) and their shares',
});

export const company: Resource = {
	name: 'Company',
	value: 'company',
	operations: [getShareholders],
};
