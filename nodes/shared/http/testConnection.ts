import {
	UserError,
	type ICredentialDataDecryptedObject,
	type ICredentialsDecrypted,
	type ICredentialTestFunctions,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INodeCredentialTestResult,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';
import { findPriceProblem } from '../credentials/prices';
import { findPseudonymKeyProblem } from '../credentials/pseudonymKey';
import { findLoginProblem } from '../credentials/providerFields';
import { findEnabledVerificationProblem } from '../credentials/webhookFields';
import { raceAbort, readBody } from '../utils/responseBody';
import { toNetworkFault } from '../errors/networkFault';
import { appendRequestIdToMessage } from '../errors/requestIds';
import { extractServiceMessage } from '../errors/serviceMessage';
import { joinSentences } from '../utils/joinSentences';
import { toBodyOrProblem, type ResponseOrExchangeFailure } from './response';
import { RequestError } from './requestError';
import { listBodyReportsFailure } from './rows';
import { creditProfile, taxQuery, type ServiceDefinition } from './services';

const TIMEOUT_MS = 30_000;
const MAX_TEST_BYTES = 50_000_000;

/**
 * The test of a service's credential: whether it is complete and right, by one request that only reads (and a login
 * before it). Stored logins and the fields of webhook verification are checked offline. Its own, because n8n's test of a request shows nothing but "ECONNREFUSED" where a host cannot be reached.
 */
const connectionTest = <Mapping>(
	service: ServiceDefinition<Mapping>,
	issueOf: (credentials: ICredentialDataDecryptedObject) => string | undefined,
) =>
	async function test(
		this: ICredentialTestFunctions,
		{ data = {} }: ICredentialsDecrypted,
	): Promise<INodeCredentialTestResult> {
		const issue = await findCredentialProblem(helperOf(this), service, data).catch(
			(error: unknown) => {
				if (error instanceof UserError) return error;
				throw error;
			},
		);
		const message = issue ? errorTextOf(issue) : (issueOf(data) ?? findPseudonymKeyProblem(data));
		return message === undefined
			? { status: 'OK', message: 'Connection successful!' }
			: { status: 'Error', message };
	};

function errorTextOf(issue: UserError): string {
	const { problem } = issue as Partial<RequestError>;
	return appendRequestIdToMessage(
		joinSentences(issue.message, issue.description),
		problem?.requestIds,
	);
}

export const testCreditProfile = connectionTest(creditProfile, findLoginProblem);
export const testTaxQuery = connectionTest(
	taxQuery,
	(credentials) =>
		findEnabledVerificationProblem(credentials) ??
		findLoginProblem(credentials) ??
		findPriceProblem(credentials),
);

/** Throws what the credential lacks by itself, and why it gets no token. */
async function findCredentialProblem<Mapping>(
	http: IHttpRequestHelper,
	service: ServiceDefinition<Mapping>,
	credentials: ICredentialDataDecryptedObject,
): Promise<UserError | undefined> {
	const outcome = await request(http, service, credentials);
	const secrets = service.secrets(credentials);
	const read = toBodyOrProblem(outcome, { emptyAs: [], secrets });
	if ('body' in read) {
		if (!listBodyReportsFailure(read.body)) return undefined;
		const said = extractServiceMessage(read.body, secrets);
		return new RequestError(service, { kind: 'failure', status: 200, ...said });
	}
	const key = read.kind === 'status' ? service.testKeys[read.status] : undefined;
	return new RequestError(service, read, 'no', {
		...(key !== undefined && { mappingKeys: [key] }),
		...(read.kind === 'status' && read.status === 404 && { todo: 'checkBaseUrl' }),
	});
}

async function request<Mapping>(
	http: IHttpRequestHelper,
	service: ServiceDefinition<Mapping>,
	credentials: ICredentialDataDecryptedObject,
): Promise<ResponseOrExchangeFailure> {
	const root = service.root(credentials);
	const path = service.testPath(service.mapping(credentials));
	const isPasted = credentials.grant === 'accessToken';
	if (service.tokens && !isPasted) {
		const accessToken = await service.tokens.logIn(http, credentials, true);
		credentials = { ...credentials, accessToken };
	}
	if (path === undefined) return { response: { status: 204, headers: {}, body: '' } };
	const url = root + path;
	const headers = { Authorization: service.authorization(credentials) };
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	const exchange = async () => {
		const response = (await http.helpers.httpRequest({ url, headers })) as IN8nHttpFullResponse;
		return { ...response, body: await readBody(response.body, MAX_TEST_BYTES) };
	};
	return await raceAbort(exchange(), signal).then(
		({ statusCode, headers: received, body }) => ({
			response: { status: statusCode, headers: received, body },
		}),
		(error: unknown) => ({ fault: signal.aborted ? { code: 'ETIMEDOUT' } : toNetworkFault(error) }),
	);
}

/** A credential's test gets another helper from n8n than a node, with the options of its predecessor. */
function helperOf({ helpers }: ICredentialTestFunctions): IHttpRequestHelper {
	const httpRequest = async ({ method = 'GET', url, headers, body }: IHttpRequestOptions) => {
		const isForm = Object.values(headers ?? {}).includes('application/x-www-form-urlencoded');
		return (await helpers.request({
			method,
			uri: url,
			headers: { Accept: 'application/json', ...headers },
			...(isForm ? { form: body } : body !== undefined && { body, json: true }),
			useStream: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			timeout: TIMEOUT_MS,
		})) as IN8nHttpFullResponse;
	};
	return { helpers: { httpRequest } } as IHttpRequestHelper;
}
