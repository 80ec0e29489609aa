import type { Resource } from '../../shared/operations/operation';
import { curpInputWithCheckOptions } from '../fields/identifiers';
import { queryTypesByOperation } from '../../shared/queryTypes/catalog';
import { defineBilledQueryOperation } from './billedQuery';

const getCurpData = defineBilledQueryOperation({
	...curpInputWithCheckOptions,
	queryType: queryTypesByOperation.getCurpData,
	name: 'Get CURP Data',
	does: 'Get the name, birth date and RFC that belong to a CURP',
});

const getEmploymentHistory = defineBilledQueryOperation({
	...curpInputWithCheckOptions,
	queryType: queryTypesByOperation.getEmploymentHistory,
	name: 'Get Employment History',
	does: 'Get the employment history of a person (historial laboral)',
});

export const person: Resource = {
	name: 'Person (CURP)',
	value: 'person',
	operations: [getCurpData, getEmploymentHistory],
};
