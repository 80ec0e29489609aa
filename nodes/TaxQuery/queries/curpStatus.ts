import type { IDataObject } from 'n8n-workflow';

/** The civil registry's codes; the document shows none (TQ §2.4). Those that begin with B have ended. */
const MEANINGS: Record<string, string> = {
	AN: 'Registered',
	AH: 'Registered; another person has like data',
	CRA: 'Reactivated',
	RCN: 'Corrected; the CURP stayed the same',
	RCC: 'Corrected; the CURP changed',
	BAP: 'Ended: apocryphal document',
	BCC: 'Ended: replaced by another CURP',
	BCN: 'Ended: correction of data',
	BD: 'Ended: the person has died',
	BDA: 'Ended: duplicate',
	BDM: 'Ended: administrative decision',
	BDP: 'Ended: adoption',
	BJD: 'Ended: by order of a court',
	BSU: 'Ended: never used',
};

/** What the status of a CURP says; null where its code is not known, for that says nothing in its favour. */
export function curpStatusOf(status: string): IDataObject {
	const code = status.trim().toUpperCase();
	const meaning = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : null;
	return {
		curpActive: meaning === null ? null : !code.startsWith('B'),
		curpStatus: status,
		curpStatusMeaning: meaning ?? 'Not known; look it up at the civil registry (RENAPO)',
	};
}
