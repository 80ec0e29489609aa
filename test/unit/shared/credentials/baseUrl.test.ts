import {
	readCreditProfileBaseUrl,
	readTaxQueryBaseUrl,
} from '../../../../nodes/shared/credentials/baseUrl';

describe('the base URL of the Credit Profile credential', () => {
	it.each([
		['https://api.example.com', 'https://api.example.com'],
		['https://api.example.com/', 'https://api.example.com'],
		[' https://api.example.com// ', 'https://api.example.com'],
		['https://proxy.example.com/credit/', 'https://proxy.example.com/credit'],
		['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
	])('takes %p', (entered, used) => {
		expect(readCreditProfileBaseUrl(entered)).toBe(used);
	});

	it.each([
		['https://api.example.com/api/v1', 'must not end with "/api/v1"'],
		['https://api.example.com/api/v1/', 'must not end with "/api/v1"'],
		['https://api.example.com/api', 'must not end with "/api"'],
		['', 'has no base URL'],
		[undefined, 'has no base URL'],
		[42, 'has no base URL'],
		['api.example.com', 'not a URL with https://'],
		['ftp://api.example.com', 'not a URL with https://'],
		['https://user:pass@api.example.com', 'only host and path'],
		['https://api.example.com?x=1', 'only host and path'],
	])('refuses %p', (entered, message) => {
		expect(() => readCreditProfileBaseUrl(entered)).toThrow(message);
	});

	it('does not repeat a login that was entered into it', () => {
		expect(() => readCreditProfileBaseUrl('https://user:hunter22@api.example.com')).not.toThrow(
			/hunter22/,
		);
	});
});

describe('the base URL of the Tax Query credential', () => {
	it.each([
		['https://solutions.example.com/api', 'https://solutions.example.com/api'],
		['https://solutions.example.com/api/', 'https://solutions.example.com/api'],
		['https://mock.example.com', 'https://mock.example.com'],
	])('takes %p', (entered, used) => {
		expect(readTaxQueryBaseUrl(entered)).toBe(used);
	});

	it.each(['/api/api', '/api/v1', '/api/query', '/api/oauth/token', '/api/oauth'])(
		'refuses a path that the node appends: %p',
		(path) => {
			expect(() => readTaxQueryBaseUrl(`https://solutions.example.com${path}`)).toThrow(
				`must not end with "${path.slice('/api'.length)}"`,
			);
		},
	);
});
