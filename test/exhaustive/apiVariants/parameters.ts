import type { INodeParameters } from 'n8n-workflow';
import { curps, operationParameters, rfcs } from '../../nodes/taxQuery/support';

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const COMPANY = 'EKU9003173C9';

/** The parameters of each query that needs no login; those that end later wait `maxWait` seconds for their result. */
export function parametersOfEachQuery(maxWait: number) {
	const waited = { waitForResult: true, maxWait };
	return {
		getShareholders: operationParameters('company', 'getShareholders', { rfc: COMPANY, ...waited }),
		calculateRfc: operationParameters('taxpayer', 'calculateRfc', {
			...{ name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' },
			birthDate: '1956-12-31',
		}),
		getCrf: operationParameters('taxpayer', 'getCrf', { rfc: RFC, ...waited }),
		getRfcData: operationParameters('taxpayer', 'getRfcData', { rfc: RFC, ...waited }),
		getCurpData: operationParameters('person', 'getCurpData', { curp: CURP }),
		getEmploymentHistory: operationParameters('person', 'getEmploymentHistory', {
			curp: CURP,
			...waited,
		}),
		getCsf: operationParameters('taxAuthority', 'getCsf', { rfc: RFC }),
		getComplianceOpinion: operationParameters('taxAuthority', 'getComplianceOpinion', {
			rfc: RFC,
			...waited,
		}),
		getInvoices: operationParameters('taxAuthority', 'getInvoices', {
			...{ rfc: RFC, period: 'months', firstMonth: '2026-01', lastMonth: '2026-02' },
			...waited,
		}),
	} satisfies Record<string, INodeParameters>;
}
