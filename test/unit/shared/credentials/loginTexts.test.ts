import type { IHttpRequestOptions } from 'n8n-workflow';
import { renewStoredAccessToken } from '../../../../nodes/shared/credentials/accessToken';
import {
	creditProfileAuthHeader,
	taxQueryAuthHeader,
} from '../../../../nodes/shared/credentials/authorization';

const BASE = { baseUrl: 'https://service.example' };
const pasted = { ...BASE, grant: 'accessToken' };

/** Values that a copied line, a wrong paste or an empty expression leaves in a field. */
const WRONG: Array<[value: string, problem: RegExp]> = [
	['"abc123"', /is in quotes/],
	["'abc123'", /is in quotes/],
	['“abc123”', /is in quotes/],
	['Token "abc123"', /is in quotes/],
	['Authorization: Token abc123', /header Authorization/],
	['authorization : Bearer abc123', /header Authorization/],
	['"Authorization": "Token abc123"', /header Authorization|is in quotes/],
	['undefined', /word for a missing value/],
	['null', /word for a missing value/],
	['Bearer undefined', /word for a missing value/],
	['[object Object]', /word for a missing value/],
];

describe('a login as it is entered', () => {
	it.each(WRONG)('is refused and its field is named: %s', async (value, problem) => {
		const read = (work: () => unknown) => () => work();
		expect(read(() => creditProfileAuthHeader({ ...BASE, apiToken: value }))).toThrow(problem);
		expect(read(() => creditProfileAuthHeader({ ...BASE, apiToken: value }))).toThrow(
			/'API Token'/,
		);
		expect(read(() => taxQueryAuthHeader({ ...pasted, pastedToken: value }))).toThrow(problem);
		const http = { helpers: { httpRequest: jest.fn() } };
		for (const name of ['clientId', 'clientSecret']) {
			const client = { ...BASE, clientId: 'a', clientSecret: 'b', [name]: value };
			await expect(renewStoredAccessToken(http, client)).rejects.toThrow(problem);
		}
		expect(http.helpers.httpRequest).not.toHaveBeenCalled();
	});

	it.each([' abc123', 'abc123 ', 'abc123\n', '\u00a0abc123\t', 'Token  abc123 '])(
		'is sent without the blanks around it: %j',
		(value) => {
			expect(creditProfileAuthHeader({ ...BASE, apiToken: value })).toBe('Token abc123');
			expect(taxQueryAuthHeader({ ...pasted, pastedToken: value })).toBe('Bearer abc123');
		},
	);

	it.each(['body', 'basic'])('is sent without the blanks around ID and secret: %s', async (how) => {
		const requests: IHttpRequestOptions[] = [];
		const httpRequest = async (request: IHttpRequestOptions) => {
			requests.push(request);
			return { statusCode: 200, headers: {}, body: { access_token: 'token-1' } };
		};
		const apiMapping = JSON.stringify({ token: { clientAuthentication: how } });
		const client = { ...BASE, clientId: ' client ', clientSecret: 'secret\u00a0\n', apiMapping };
		await renewStoredAccessToken({ helpers: { httpRequest } }, client);
		const [{ body, headers }] = requests;
		const sent = how === 'body' ? body : headers;
		expect(sent).toMatchObject(
			how === 'body'
				? { client_id: 'client', client_secret: 'secret' }
				: { Authorization: `Basic ${Buffer.from('client:secret').toString('base64')}` },
		);
	});
});
