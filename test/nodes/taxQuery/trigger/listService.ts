import type { RequestListener } from 'node:http';
import { credentialOfClient, respondJson, serve } from '../../../support/testServer';
import type { TriggerHostOptions } from './triggerHost';

const A_MINUTE = 60_000;
export const PAGE = 10;

/** The dates of rows count from it. Other tests of the file may have let hours pass before. */
export let testStartedAt = Date.now();
export const minutesBeforeTest = (minutes: number) =>
	new Date(testStartedAt - minutes * A_MINUTE).toISOString();

/** A query that was made so many minutes ago, and has its result since then. */
export const row = (_id: string, minutes: number, more: object = {}) => ({
	_id,
	service: 'CRF',
	status: 'SUCCESS',
	response: { RFC: 'X' } as object | undefined,
	createdAt: minutesBeforeTest(minutes),
	updatedAt: minutesBeforeTest(minutes),
	...more,
});
export type Row = ReturnType<typeof row>;
export const many = (name: string, count: number, minutes: number, more: object = {}) =>
	Array.from({ length: count }, (_, each) => row(`${name}${each}`, minutes + each, more));

/** A query service whose list shows what a test wants of what it has. */
export class ListService {
	/** It has these by their IDs, and lists them from the newest creation on. */
	rows: Row[] = [];
	listed = () => this.rows;
	page = (offset: number): unknown => {
		const rows = this.listed();
		return { data: rows.slice(offset, offset + PAGE), total: rows.length };
	};
	/** It finds a query by its ID in any letters, and spells it as it is listed. */
	readsAnyCase = false;
	/** The ID that it fails to read. */
	broken = '';
	/** It fails to answer anything but the login. */
	isDown = false;
	/** So long it takes to read a query by its ID. */
	slowMs = 0;
	/** Path of each request but the token's. */
	readonly requests: string[] = [];

	private server?: Awaited<ReturnType<typeof serve>>;
	private readonly answer: RequestListener = ({ url = '' }, response) => {
		const { pathname, searchParams } = new URL(url, 'http://localhost');
		if (pathname === '/oauth/token') return respondJson(response, { access_token: 'list-token-1' });
		this.requests.push(pathname);
		if (this.isDown)
			return respondJson(response.setHeader('retry-after', '120'), { message: 'Down' }, 503);
		if (pathname === '/query')
			return respondJson(response, this.page(Number(searchParams.get('offset') ?? 0)));
		if (pathname === `/query/${this.broken}`)
			return respondJson(response, { message: 'Broken' }, 500);
		const path = this.readsAnyCase ? pathname.toLowerCase() : pathname;
		const one = this.rows.find(({ _id }) => path === `/query/${_id}`);
		const answer = () => respondJson(response, one ?? { message: 'Nothing here' }, one ? 200 : 404);
		if (this.slowMs > 0) setTimeout(answer, this.slowMs).unref();
		else answer();
	};

	static async start(): Promise<ListService> {
		testStartedAt = Date.now();
		const service = new ListService();
		service.server = await serve(service.answer);
		return service;
	}

	/** A credential that leads to it. */
	credentials(clientId = 'list'): TriggerHostOptions['credentials'] {
		return { taxQueryApi: credentialOfClient(String(this.server?.url), clientId) };
	}

	async stop(): Promise<void> {
		await this.server?.close();
	}
}
