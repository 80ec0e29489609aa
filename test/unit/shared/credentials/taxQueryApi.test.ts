import { TaxQueryApi } from '../../../../credentials/TaxQueryApi.credentials';
import { findCredentialError } from '../../../../nodes/shared/credentials/credentialError';
import { classify } from '../../../../nodes/shared/transport/classify';
import { taxQuery } from '../../../../nodes/shared/transport/service';

const credentials = {
	baseUrl: 'http://127.0.0.1:9/api',
	grant: 'clientCredentials',
	clientId: 'client',
	clientSecret: 'secret-of-client',
	accessToken: '',
};

describe('a token that ends between its renewal and the request', () => {
	it('is asked for once more: nothing was sent', async () => {
		const error: unknown = await new TaxQueryApi()
			.authenticate(credentials, { url: '/query' })
			.catch((thrown: unknown) => thrown);
		// n8n's helper renews once, and wraps what is thrown after that into an error of its own.
		const refusal = findCredentialError(new Error('wrapped', { cause: error }));
		const asked = { service: taxQuery, method: 'POST', secrets: [] };
		expect([error, refusal && classify({ refusal }, asked)]).toEqual([
			expect.objectContaining({ response: { status: 401 } }),
			expect.objectContaining({ again: 'with a login' }),
		]);
	});
});
