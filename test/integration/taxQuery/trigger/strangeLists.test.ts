import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { give } from '../oddService';
import { pass, TriggerHost, type TriggerHostOptions } from './triggerHost';

const A_MINUTE = 60_000;
const PAGE = 10;

let server: Server;
let host: TriggerHost;
/** What the service has, by its ID, and what it lists, from the newest creation on. */
let rows: Row[];
let listed: () => Row[];
/** What it lists of them for the offset that is asked for. */
let page: (offset: number) => unknown;
/** So long it takes to read a query by its ID. */
let slowMs: number;

beforeEach(async () => {
	rows = [];
	slowMs = 0;
	listed = () => rows;
	page = (offset) => ({ data: listed().slice(offset, offset + PAGE), total: listed().length });
	server = createServer(({ url = '' }, response) => {
		const { pathname, searchParams } = new URL(url, 'http://localhost');
		if (pathname === '/oauth/token') return give(response, { access_token: 'list-token-1' });
		if (pathname === '/query') return give(response, page(Number(searchParams.get('offset') ?? 0)));
		const one = rows.find(({ _id }) => pathname === `/query/${_id}`);
		const answer = () => give(response, one ?? { message: 'Nothing here' }, one ? 200 : 404);
		if (slowMs > 0) setTimeout(answer, slowMs).unref();
		else answer();
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
});
afterEach(async () => {
	await host.stop();
	server.closeAllConnections();
	await new Promise((closed) => server.close(closed));
});

const start = async (options: Partial<TriggerHostOptions> = {}) =>
	(host = await TriggerHost.start({
		credentials: {
			taxQueryApi: {
				baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
				grant: 'clientCredentials',
				clientId: 'list',
				clientSecret: 'List_Secret_1',
				pointsPerSecond: 0,
				accessToken: '',
			},
		},
		...options,
	}));

const now = Date.now();
const ago = (minutes: number) => new Date(now - minutes * A_MINUTE).toISOString();
/** A query that was made so many minutes ago, and has its result since then. */
const row = (_id: string, minutes: number, more: object = {}) => ({
	_id,
	service: 'CRF',
	status: 'SUCCESS',
	response: { RFC: 'X' } as object | undefined,
	createdAt: ago(minutes),
	updatedAt: ago(minutes),
	...more,
});
type Row = ReturnType<typeof row>;
const many = (name: string, count: number, minutes: number, more: object = {}) =>
	Array.from({ length: count }, (_, each) => row(`${name}${each}`, minutes + each, more));
const looks = async (count: number) => {
	for (let each = 0; each < count; each++) await host.look();
};

describe('a list that shows its newest rows alone, and tells nobody,', () => {
	it('loses no result that was delivered', async () => {
		page = () => listed().slice(0, PAGE);
		rows = many('old', PAGE, 100);
		await start();
		rows = [...many('n', 3 * PAGE, 0), ...rows];
		const wanted = rows.slice(0, 3 * PAGE).map(({ _id }) => _id);
		for (let each = 0; host.started.length < wanted.length && each < 40; each++) {
			pass(1_000);
			const lacking = wanted.filter((id) => !host.started.includes(id));
			await host.deliver(lacking.map((queryId) => ({ queryId })));
		}
		expect([...host.started].sort()).toEqual([...wanted].sort());
	});
});

describe('Start From a moment', () => {
	it('loses nothing where the dates of the service are hours behind', async () => {
		rows = [row('old', 5 * 60)];
		await start({ parameters: { startFrom: 'hours', hours: 1 } });
		rows = [row('new', 6 * 60), ...rows];
		await host.look();
		expect(host.started).toEqual(['new']);
	});

	it.each([0, -5, 'abc'])('is refused for %j hours', async (hours) => {
		const starting = start({ parameters: { startFrom: 'hours', hours } });
		await expect(starting).rejects.toThrow('"Hours" of Start From must be a number above 0');
		await start();
	});
});

describe('Max Results per Look', () => {
	it.each([0, '', 'abc', -1, 1.5])('is refused where it is %j', async (maxResults) => {
		const starting = start({ parameters: { settings: { maxResults } } });
		await expect(starting).rejects.toThrow('"Max Results per Look" must be a whole number');
		await start();
	});

	it('is not filled by rows without dates whose executions still run', async () => {
		await start({
			parameters: { settings: { maxResults: 2 } },
			areExecutionsLong: true,
			hasWorkers: true,
		});
		rows = many('q', 5, 1, { createdAt: undefined, updatedAt: undefined });
		for (let each = 0; each < 5; each++) await host.look();
		expect([...host.started].sort()).toEqual(['q0', 'q1', 'q2', 'q3', 'q4']);
	});
});

describe('a service that gives another date each time that it lists a query', () => {
	it('has a result started three times at most, which is told', async () => {
		await start();
		rows = [row('q', 1), row('r', 1)];
		for (let each = 0; each < 10; each++) {
			rows = rows.map((one, index) => ({ ...one, updatedAt: ago(60 - 2 * each - index) }));
			await host.look();
		}
		expect([host.started.sort(), host.failures]).toEqual([
			['q', 'q', 'q', 'r', 'r', 'r'],
			[expect.stringContaining('another date again and again')],
		]);
	});
});

describe('a result that is listed in whole seconds', () => {
	it('and was read by its ID with milliseconds is started once', async () => {
		const hidden = row('hidden', 0, { updatedAt: new Date(now + 123).toISOString() });
		const visible = many('q', PAGE, 100);
		rows = visible;
		page = () => ({ data: listed().slice(0, PAGE), total: 5_000 });
		listed = () => visible;
		await start();
		rows = [...visible, hidden];
		pass(1_000);
		await host.deliver({ queryId: 'hidden' });
		const inSeconds = {
			...hidden,
			updatedAt: `${hidden.updatedAt.slice(0, 19)}Z`,
			status: 'success',
		};
		listed = () => [inSeconds, ...visible];
		await looks(2);
		expect(host.started).toEqual(['hidden']);
	});
});

describe('a listed result whose response is read by its ID', () => {
	const lean = (one: Row) => ({ ...one, response: undefined });

	it('is waited for where a copy of the data lags behind', async () => {
		await start({ parameters: { simplify: false } });
		const one = row('q', 0);
		listed = () => [lean(one)];
		await host.look();
		rows = [one];
		await host.look();
		expect(host.items).toEqual([expect.objectContaining({ _id: 'q', response: { RFC: 'X' } })]);
	});

	it('is started as it is listed where it is never there', async () => {
		await start();
		listed = () => [lean(row('q', 0))];
		await looks(3);
		expect(host.started).toEqual(['q']);
	});

	it('comes though it takes longer than the first time allows', async () => {
		await start();
		rows = [row('q', 0)];
		listed = () => rows.map(lean);
		slowMs = 6_000;
		await looks(2);
		await host.executed(1);
		expect(host.started).toEqual(['q']);
	}, 30_000);
});
