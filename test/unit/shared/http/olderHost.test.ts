import {
	NodeApiError,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type JsonObject,
} from 'n8n-workflow';
import { TaxQueryApi } from '../../../../credentials/TaxQueryApi.credentials';
import type { N8nRequestContext } from '../../../../nodes/shared/http/sendOnce';
import { createServiceConnection } from '../../../../nodes/shared/http/connection';
import type { RequestError } from '../../../../nodes/shared/http/requestError';
import { taxQuery } from '../../../../nodes/shared/http/services';

type Answer = { statusCode: number; headers: object; body: unknown };
const node: INode = {
	id: '1',
	name: 'Tax Query',
	type: 'taxQuery',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const type = new TaxQueryApi();
let clients = 0;

/**
 * Imitates a host like n8n 1.123. Its errors hold no cause, and any `ignoreHttpStatusErrors` lets every status pass
 * as a response. It repeats a request only after an error with status 401.
 */
function olderHost(
	service: (options: IHttpRequestOptions) => Answer | Promise<Answer>,
	fields: object = {},
) {
	const stored: Record<string, unknown> = {
		baseUrl: 'https://service.test/api',
		clientId: `older-${clients++}`,
		clientSecret: 'secret-77',
		pointsPerSecond: 0,
		accessToken: '',
		...fields,
	};
	const httpRequest = async (options: IHttpRequestOptions) => {
		const answer = await service(options);
		if (answer.statusCode < 400 || options.ignoreHttpStatusErrors) return answer;
		throw Object.assign(new Error('refused'), { response: { status: answer.statusCode } });
	};
	const preAuthenticate = async (credentials: Record<string, unknown>) => {
		const helpers = { helpers: { httpRequest } } as unknown as IHttpRequestHelper;
		Object.assign(stored, await type.preAuthentication.call(helpers, credentials as never));
		Object.assign(credentials, stored);
	};
	const withoutCause = (error: unknown) =>
		Object.assign(new NodeApiError(node, error as JsonObject), { cause: undefined });
	const context = {
		getNode: () => node,
		getExecutionId: () => '1',
		getCredentials: async () => ({ ...stored }),
		helpers: {
			async httpRequestWithAuthentication(
				this: { getCredentials(): Promise<Record<string, unknown>> },
				_type: string,
				options: IHttpRequestOptions,
			) {
				const credentials = await this.getCredentials();
				const send = async () =>
					await httpRequest(await type.authenticate(credentials as never, options));
				try {
					if (credentials.accessToken === '') await preAuthenticate(credentials);
					return await send();
				} catch (error) {
					const { response } = error as { response?: { status: number } };
					if (response?.status !== 401) throw withoutCause(error);
					try {
						await preAuthenticate(credentials);
						return await send();
					} catch (second) {
						throw withoutCause(second);
					}
				}
			},
		},
	} as unknown as N8nRequestContext;
	return { stored, connection: async () => await createServiceConnection(context, taxQuery) };
}

const ok = (body: unknown): Answer => ({ statusCode: 200, headers: {}, body });
const isLogin = ({ url }: IHttpRequestOptions) => url.endsWith('/oauth/token');
const ask = { method: 'POST', path: '/query/crf', body: { rfc: 'GODE561231GR8' } } as const;

describe('on a host that keeps no cause of an error', () => {
	it('a lost answer may have been accepted', async () => {
		const { connection } = olderHost((options) => {
			if (isLogin(options)) return ok({ access_token: 'abcd' });
			throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
		});
		const error = await (await connection()).request(ask).catch((thrown: RequestError) => thrown);
		expect(error).toMatchObject({ code: 'unsure', problem: { code: 'ECONNRESET' } });
	});

	it('reports a wrong client secret, and no query as possibly billed', async () => {
		let queries = 0;
		const { connection } = olderHost((options) => {
			if (!isLogin(options)) queries++;
			return { statusCode: 401, headers: {}, body: {} };
		});
		const error = await (await connection()).request(ask).catch((thrown: RequestError) => thrown);
		expect(error).toMatchObject({ code: 'login.refused', accepted: 'no' });
		expect(queries).toBe(0);
	});

	it("does not show one client's service message to another", async () => {
		let answered = 0;
		let release = () => {};
		const both = new Promise<void>((resolve) => (release = resolve));
		const refusing = (word: string) =>
			olderHost(async () => {
				if (++answered === 2) release();
				await both; // both are refused before either host reads its error
				return { statusCode: 401, headers: {}, body: { message: `no contract ${word}` } };
			});
		const errors = await Promise.all(
			['first', 'second'].map(
				async (word) =>
					await (
						await refusing(word).connection()
					)
						.request(ask)
						.catch((thrown: RequestError) => thrown),
			),
		);
		const [one, other] = errors.map((error) => (error as RequestError).description ?? '');
		expect(one).not.toContain('second');
		expect(other).not.toContain('first');
		expect(one).toContain('Check both in the credential.');
	});

	it('a token that has ended is renewed after a 401, and the query sent once more', async () => {
		const sent: unknown[] = [];
		let logins = 0;
		const { connection } = olderHost((options) => {
			if (isLogin(options)) return ok({ access_token: `token-${++logins}` });
			sent.push(options.headers?.Authorization);
			const isTaken = options.headers?.Authorization === 'Bearer token-2';
			return isTaken ? ok({ queryId: 'q1' }) : { statusCode: 401, headers: {}, body: {} };
		});
		expect(await (await connection()).request(ask)).toEqual({ queryId: 'q1' });
		expect(sent).toEqual(['Bearer token-1', 'Bearer token-2']);
	});
});

describe('a login outage', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	it.each([
		['of 30 seconds fails none of 100 items', 30_000, 100, 20],
		['without end fails them in a minute', Infinity, 0, 30],
	])('%s', async (_, lasts, succeeded, attempts) => {
		const end = Date.now() + lasts;
		let logins = 0;
		const { connection } = olderHost((options) => {
			if (!isLogin(options)) return ok({ queryId: 'q1' });
			logins++;
			return Date.now() < end ? { statusCode: 503, headers: {}, body: {} } : ok({ token: 'abcd' });
		});
		const open = await connection();
		const sending = Promise.allSettled(
			Array.from({ length: 100 }, async () => await open.request(ask)),
		);
		await jest.advanceTimersByTimeAsync(60_000);
		const results = await sending;
		expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(succeeded);
		expect(logins).toBeLessThanOrEqual(attempts);
	});
});
