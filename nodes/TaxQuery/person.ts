import type { Operation, Resource } from '../shared/operation';
import { runQuery, textField } from './runQuery';

const getCurpData: Operation = {
	name: 'Get CURP Data',
	value: 'getCurpData',
	action: 'Get CURP data',
	description: 'Personal data and the RFC that belong to a CURP; the answer comes at once',
	fields: [textField('CURP', 'curp', 'e.g. PEXL990821HSRRXS05', 'The 18 characters of the CURP')],
	/** §4.6 */
	execute: async (item) => await runQuery(item, '/query/curp-data', ['curp']),
};

export const person: Resource = {
	name: 'Person (CURP)',
	value: 'person',
	operations: [getCurpData],
};
