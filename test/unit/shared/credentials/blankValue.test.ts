import { renewStoredAccessToken } from '../../../../nodes/shared/credentials/accessToken';
import {
	creditProfileAuthHeader,
	taxQueryAuthHeader,
} from '../../../../nodes/shared/credentials/authorization';
import { findN8nPlaceholderProblem } from '../../../../nodes/shared/credentials/placeholders';
import {
	parseLogin,
	providers,
	taxAuthorityLogin,
} from '../../../../nodes/shared/credentials/dataProviders';
import { findVerificationProblem } from '../../../../nodes/shared/credentials/webhookFields';
import { creditProfile, taxQuery } from '../../../../nodes/shared/http/services';
import { CreditProfileApi } from '../../../../credentials/CreditProfileApi.credentials';
import { TaxQueryApi } from '../../../../credentials/TaxQueryApi.credentials';

const BLANK = '__n8n_BLANK_VALUE_e5362baf-c777-4d57-a609-6eaf1f9e87f6';
const EMPTY = '__n8n_EMPTY_VALUE_7b1af746-3729-4c60-9b9b-e08eb29e58da';
const BASE = { baseUrl: 'https://service.example/api', apiToken: 'token', clientId: 'client' };

describe('a placeholder of n8n in the place of a secret', () => {
	it.each(['apiToken', 'pseudonymKey', 'apiMapping'])('is refused and named: %s', (name) => {
		const credentials = { ...BASE, baseUrl: 'https://service.example', [name]: BLANK };
		expect(() => creditProfileAuthHeader(credentials)).toThrow(/placeholder of n8n/);
		expect(() => creditProfile.root(credentials)).toThrow(/placeholder of n8n/);
	});

	it.each(['clientSecret', 'pastedToken', 'additionalSecretFields', 'pseudonymKey'])(
		'is refused and named: %s',
		async (name) => {
			for (const value of [BLANK, EMPTY, `Bearer ${BLANK}`, `{"key": "${BLANK}"}`]) {
				const credentials = { ...BASE, [name]: value };
				expect(() => taxQueryAuthHeader(credentials)).toThrow(/placeholder of n8n/);
				expect(() => taxQuery.root(credentials)).toThrow(/placeholder of n8n/);
				const http = { helpers: { httpRequest: jest.fn() } };
				await expect(renewStoredAccessToken(http, credentials)).rejects.toThrow(
					/placeholder of n8n/,
				);
				expect(http.helpers.httpRequest).not.toHaveBeenCalled();
			}
		},
	);

	it.each(['webhookSecret', 'webhookPassword', 'additionalWebhookSecrets'])(
		'accepts no webhook call: %s',
		(name) => {
			const fields = { webhookVerification: 'header', webhookHeaderName: 'X-Secret' };
			const credentials = { ...fields, webhookSecret: 'secret', [name]: BLANK };
			expect(findVerificationProblem(credentials)).toContain('placeholder of n8n');
		},
	);

	it('is refused in each field of each stored login', () => {
		for (const provider of [...providers, taxAuthorityLogin]) {
			const values = Object.fromEntries(provider.fields.map(({ name }) => [name, 'a']));
			for (const { name, displayName } of provider.fields) {
				const check = () => parseLogin(provider, { ...values, [name]: ` ${BLANK}` });
				expect(check).toThrow(`'${displayName}'`);
			}
		}
	});

	it('is named by the label of its field', () => {
		const fields = [CreditProfileApi, TaxQueryApi]
			.flatMap((Type) => new Type().properties)
			.filter(({ typeOptions, type }) => typeOptions?.password && type !== 'hidden');
		expect(fields.length).toBeGreaterThan(5);
		for (const { name, displayName } of fields.filter((one) => !one.displayName.includes(': '))) {
			expect(findN8nPlaceholderProblem({ [name]: BLANK })).toContain(`'${displayName}'`);
		}
	});

	it('is no reason to refuse a token that is issued anew', () => {
		expect(findN8nPlaceholderProblem({ accessToken: BLANK })).toBeUndefined();
	});
});
