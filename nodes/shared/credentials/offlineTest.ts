import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

/** The test of a credential that sends nothing: it is fine unless `flawOf` finds something. */
export const offlineTest = (
	flawOf: (data: ICredentialDataDecryptedObject) => string | undefined,
	fine: string,
) =>
	async function test(
		this: ICredentialTestFunctions,
		{ data = {} }: ICredentialsDecrypted,
	): Promise<INodeCredentialTestResult> {
		const flaw = flawOf(data);
		return flaw === undefined
			? { status: 'OK', message: fine }
			: { status: 'Error', message: flaw };
	};
