/** What an operation knows beyond the problem of its request; the sentences are below. */
export interface Advice {
	/** Keys of the API Mapping that may set it right: "paths.crf". */
	mappingKeys?: string[];
	/** In place of what the problem alone suggests. */
	todo?: AdviceCode;
	/** What the problem means for the operation; the problem itself is then said in the description. */
	meaning?: MeaningCode;
}

/** The next click, by code. */
export const ADVICE = {
	checkId: 'Check the ID in this item, and that the base URL of the credential is right.',
	checkBaseUrl: 'Check the base URL in the credential: there is no such service at it.',
	checkItem: 'Check the fields of this item.',
	tryLater: 'Try again later.',
	createTaxProfile:
		'It may lack the tax profile of this RFC: run Tax Authority → Create Tax Profile for it first, then this item again.',
	encryptedPassword:
		'The service tries this login at the bureau: check that it is current, and that the password is the encrypted one.',
} satisfies Record<string, string>;

export type AdviceCode = keyof typeof ADVICE;

/** What happened, by code. */
export const MEANINGS = {
	savedUnknown: 'It is not known whether the login was saved',
} satisfies Record<string, string>;

export type MeaningCode = keyof typeof MEANINGS;
