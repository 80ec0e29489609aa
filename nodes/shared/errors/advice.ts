/** An operation may know more than the problem of its request. It says so in codes, whose sentences are below. */
export interface OperationErrorAdvice {
	mappingKeys?: string[];
	/** Replaces the advice of the problem itself. */
	todo?: AdviceCode;
	/** The object that a status 404 is about: "collection 42". */
	missing?: string;
	/** The meaning of the problem for the operation; the description then holds the problem itself. */
	meaning?: OperationProblemMeaningKey;
}

/** The next click, by code. */
export const ADVICE = {
	checkId: 'Check the ID in this item, and the base URL of the credential.',
	chooseAgain: 'Choose it from the list, or check its ID.',
	checkBaseUrl: 'Check the base URL of the credential.',
	checkBaseUrlThenLater:
		'Check the base URL of the credential. If other items succeed with it, try again later.',
	checkNetwork: 'Check the base URL of the credential, and the network of this n8n.',
	checkRoute: 'Check the network of this n8n, and its proxy if it has one.',
	checkProxy: 'Check the proxy of this n8n, its login, and which addresses it lets through.',
	checkItem: 'Check the fields of this item.',
	tryLater: 'Try again later.',
	createTaxProfile:
		'This RFC may lack its tax profile: run Tax Authority → Create Tax Profile for it, then this item again.',
	encryptedPassword: 'Check that this login is current, and its password the encrypted one.',
} satisfies Record<string, string>;

export type AdviceCode = keyof typeof ADVICE;

/** Sentences about what happened, by code. */
export const OPERATION_PROBLEM_MEANINGS = {
	savedUnknown: 'It is not known whether the login was saved',
} satisfies Record<string, string>;

export type OperationProblemMeaningKey = keyof typeof OPERATION_PROBLEM_MEANINGS;
