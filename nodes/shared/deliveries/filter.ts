import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isPending } from './result';

/** Which results start the workflow. */
export interface Filter {
	/** Upper case; empty for all. */
	services: string[];
	statuses: string[];
	ignorePending: boolean;
}

/** §2.1 names the first four; how the records of the others name their service is not shown. */
export const filterFields: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'services',
		type: 'multiOptions',
		options: [
			{ name: 'Company Shareholders', value: 'COMPANY_SHAREHOLDERS' },
			{ name: 'Compliance Opinion (32D)', value: 'COMPLIANCE_OPINION' },
			{ name: 'CURP Data', value: 'CURP' },
			{ name: 'Employment History', value: 'JOB_HISTORY' },
			{ name: 'Fiscal Regime Certificate (CRF)', value: 'CRF' },
			{ name: 'Fiscal Situation (CSF)', value: 'CSF' },
			{ name: 'Invoices', value: 'INVOICE' },
			{ name: 'RFC Calculation', value: 'RFC_CALCULATOR' },
			{ name: 'RFC Data', value: 'RFC' },
		],
		default: [],
		description: 'Services whose results start the workflow. None chosen means all.',
	},
	{
		displayName: 'Statuses',
		name: 'statuses',
		type: 'multiOptions',
		options: [
			{ name: 'Failed', value: 'FAILED' },
			{ name: 'Pending', value: 'PENDING' },
			{ name: 'Success', value: 'SUCCESS' },
		],
		default: [],
		description: 'Statuses that start the workflow. None chosen means all.',
	},
];

/** Entries of the "Options" collection that both triggers have. */
export const filterOptions: INodeProperties[] = [
	{
		displayName: 'Ignore Pending',
		name: 'ignorePending',
		type: 'boolean',
		default: true,
		description:
			'Whether a query that has no result yet starts nothing, unless Pending is chosen in Statuses',
	},
	{
		displayName: 'Other Services',
		name: 'otherServices',
		type: 'string',
		default: '',
		placeholder: 'e.g. SHAREHOLDERS, INVOICES',
		description:
			"More services to trigger on, by the name in the record's field service, separated by commas",
	},
	{
		displayName: 'Other Statuses',
		name: 'otherStatuses',
		type: 'string',
		default: '',
		placeholder: 'e.g. ERROR, CANCELLED',
		description:
			"More statuses to trigger on, as written in the record's field status, separated by commas",
	},
];

/** Reads the filter from a node's parameters. */
export function readFilter(services: unknown, statuses: unknown, options: IDataObject): Filter {
	return {
		services: [...namesIn(services), ...namesIn(options.otherServices)],
		statuses: [...namesIn(statuses), ...namesIn(options.otherStatuses)],
		ignorePending: options.ignorePending !== false,
	};
}

/** Whether a record starts the workflow. A record without service or status suits no choice of them. */
export function suits(record: IDataObject, filter: Filter): boolean {
	const allows = (chosen: string[], value: unknown) =>
		chosen.length === 0 || chosen.includes(String(value).toUpperCase());
	const isUnasked =
		filter.ignorePending && isPending(record) && !filter.statuses.includes('PENDING');
	return (
		!isUnasked && allows(filter.services, record.service) && allows(filter.statuses, record.status)
	);
}

function namesIn(value: unknown): string[] {
	const names = Array.isArray(value) ? value : String(value ?? '').split(',');
	return names.map((name) => String(name).trim().toUpperCase()).filter(Boolean);
}
