import { TaxQueryApi } from '../../../../credentials/TaxQueryApi.credentials';
import { loginErrorInCauses } from '../../../../nodes/shared/credentials/loginError';
import { retryCondition } from '../../../../nodes/shared/http/retryPolicy';

const credentials = {
	baseUrl: 'http://127.0.0.1:9/api',
	grant: 'clientCredentials',
	clientId: 'client',
	clientSecret: 'secret-of-client',
	accessToken: '',
};

describe('a token that ends between its renewal and the request', () => {
	it('requests another token, since nothing was sent', async () => {
		const error: unknown = await new TaxQueryApi()
			.authenticate(credentials, { url: '/query' })
			.catch((thrown: unknown) => thrown);
		// n8n's helper renews once, and wraps what is thrown after that into an error of its own.
		const problem = loginErrorInCauses(new Error('wrapped', { cause: error }))?.problem;
		expect(error).toMatchObject({ response: { status: 401 } });
		expect(problem && retryCondition(problem, 'POST')).toBe('login');
	});
});
