import type { Resource } from '../../shared/operations/operation';
import { byCompanyRfc } from '../fields/identifiers';
import { paidQueryOperation } from '../paidQuery/operation';
import { catalog } from '../service/names';

const getShareholders = paidQueryOperation({
	...byCompanyRfc,
	service: catalog.getShareholders,
	name: 'Get Shareholders',
	action: 'Get shareholders of company',
	tool: 'Ask who owns a company (accionistas). RFC: 12 characters, of a company, with homoclave.',
	subtitle: 'Get shareholders',
	description:
		'Ask who owns a company (accionistas), and how much of it. The result follows later. Each query costs money.',
});

export const company: Resource = {
	name: 'Company',
	value: 'company',
	operations: [getShareholders],
};
