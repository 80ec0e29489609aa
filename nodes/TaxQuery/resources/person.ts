import type { Resource } from '../../shared/operations/operation';
import { byCurp } from '../fields/identifiers';
import { paidQueryOperation } from '../paidQuery/operation';
import { catalog } from '../service/names';

const getCurpData = paidQueryOperation({
	...byCurp,
	service: catalog.getCurpData,
	name: 'Get CURP Data',
	action: 'Get CURP data',
	tool: 'Get the name, birth date and RFC that belong to a CURP. CURP: 18 characters.',
	description:
		'Get the personal data and the RFC that belong to a CURP. The result comes at once. Each query costs money.',
});

const getEmploymentHistory = paidQueryOperation({
	...byCurp,
	service: catalog.getEmploymentHistory,
	name: 'Get Employment History',
	action: 'Get employment history',
	tool: 'Ask where a person was employed, and when. CURP: 18 characters.',
	description:
		'Ask where a person was employed, and when (historial laboral), by the CURP. The result follows later. Each query costs money.',
});

export const person: Resource = {
	name: 'Person (CURP)',
	value: 'person',
	operations: [getCurpData, getEmploymentHistory],
};
