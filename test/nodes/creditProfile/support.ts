import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { runNodeInEngine, type NodeRunOptions } from '../../support/runNodeInEngine';
import type { TestSandbox } from '../../support/sandbox';

/** Ids of collections of the sandbox. */
export const LOANS_COLLECTION_ID = 1; // 40 documents, two versions
export const PEOPLE_COLLECTION_ID = 2; // the largest; LOANS is its parent
export const EMPTY_COLLECTION_ID = 30; // no documents

type RunOptions = Partial<NodeRunOptions> & {
	/** Fields that store a provider's login. */
	login?: ICredentialDataDecryptedObject;
	/** Fields of the service's credential: an API Mapping, a Pseudonym Key. */
	api?: ICredentialDataDecryptedObject;
};

/** Runs the Credit Profile node against the sandbox, with a stored provider login if one is given. */
export function createSandboxNodeRunner(sandbox: TestSandbox) {
	return async (parameters: INodeParameters, { login, api, ...options }: RunOptions = {}) =>
		await runNodeInEngine({
			type: 'creditProfile',
			parameters,
			credentials: {
				creditProfileApi: { ...sandbox.credentials().creditProfileApi, ...api, ...login },
			},
			...options,
		});
}
