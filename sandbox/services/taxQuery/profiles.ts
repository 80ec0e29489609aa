import { HttpError } from '../../plugins/errors';

/** The RFCs that have a tax profile (TQ §4.8). */
export class RfcsWithTaxProfile {
	private rfcs = new Set<string>();

	add(rfc: string): void {
		this.rfcs.add(rfc);
	}

	/** Throws an HttpError if there is no profile. The document does not show how the service reports that. */
	need(rfc: string): void {
		if (this.rfcs.has(rfc)) return;
		throw new HttpError(
			409,
			'There is no tax profile for this RFC; create one with POST /query/tax/profile first',
			'rfc',
		);
	}

	save(): string[] {
		return [...this.rfcs];
	}

	load(rfcs: string[]): void {
		this.rfcs = new Set(rfcs);
	}
}
