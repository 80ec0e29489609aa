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
/** The ID that the service fails to read. */
let broken: string;
/** Path of each request but the token's. */
let asked: string[];

beforeEach(async () => {
	rows = [];
	asked = [];
	broken = '';
	listed = () => rows;
	page = (offset) => ({ data: listed().slice(offset, offset + PAGE), total: listed().length });
	server = createServer(({ url = '' }, response) => {
		const { pathname, searchParams } = new URL(url, 'http://localhost');
		if (pathname === '/oauth/token') return give(response, { access_token: 'list-token-1' });
		asked.push(pathname);
		if (pathname === '/query') return give(response, page(Number(searchParams.get('offset') ?? 0)));
		if (pathname === `/query/${broken}`) return give(response, { message: 'Broken' }, 500);
		const one = rows.find(({ _id }) => pathname === `/query/${_id}`);
		give(response, one ?? { message: 'Nothing here' }, one ? 200 : 404);
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
const pending = { status: 'PENDING', response: undefined };
const finish = (id: string, minutes: number, more: object = {}) => {
	rows = rows.map((one) =>
		one._id === id
			? { ...row(id, 0), createdAt: one.createdAt, updatedAt: ago(minutes), ...more }
			: one,
	);
};
const looks = async (count: number) => {
	for (let each = 0; each < count; each++) await host.look();
};

describe('a backlog of more than one look emits, in pages', () => {
	it('loses nothing of what was made long ago and finished late', async () => {
		rows = many('q', 100, 100);
		finish('q85', 40);
		finish('q86', 41);
		await start({
			parameters: { startFrom: 'hours', hours: 720, settings: { maxResults: 10 } },
		});
		for (let each = 0; each < 16; each++) {
			pass(10_000);
			await host.look();
		}
		expect(host.started.sort()).toEqual(rows.map(({ _id }) => _id).sort());
	}, 120_000);

	it('and is not read to its end by each look', async () => {
		rows = [...many('old', 100, 200)];
		await start({ parameters: { settings: { maxResults: 2 } } });
		rows = [...many('new', 8, 1), ...rows];
		const before = asked.length;
		await host.look();
		await host.executed(8);
		expect(asked.filter((path) => path === '/query').length).toBeLessThan(before + 12);
	});
});

describe('a query that a delivery names, and that a look does not come to,', () => {
	it.each(['both', 'webhook'])('is read by its ID (%s)', async (receiveBy) => {
		rows = many('q', 50, 100);
		finish('q45', 145, { status: 'FAILED', response: { message: 'no' } });
		await start({ parameters: { receiveBy } });
		finish('q45', 0);
		pass(1_000);
		const { status } = await host.deliver({ queryId: 'q45' });
		expect([status, host.started]).toEqual([200, ['q45']]);
	});

	it('and that cannot be read holds up nothing', async () => {
		rows = many('q', 50, 100);
		await start();
		rows = [row('new', 0), ...rows];
		broken = 'q45';
		pass(1_000);
		const { status } = await host.deliver({ queryId: 'q45' });
		expect([status, host.started, host.failures]).toEqual([503, ['new'], []]);
	});

	it('costs two requests a second at most, however many are named', async () => {
		rows = many('q', 50, 100);
		await start();
		const before = asked.length;
		const body = Array.from({ length: 100 }, (_, each) => ({ queryId: `forged-${each}` }));
		pass(1_000);
		await Promise.all(Array.from({ length: 20 }, () => host.deliver(body)));
		expect(asked.length - before).toBeLessThanOrEqual(6);
	});
});

describe('a list that shows its newest rows alone', () => {
	it.each<[string, () => unknown]>([
		['tells of more, and ignores paging', () => ({ data: listed().slice(0, PAGE), total: 5_000 })],
		['tells of no more', () => listed().slice(0, PAGE)],
	])('and %s, loses no pending query that was pushed out', async (_, answer) => {
		page = answer;
		rows = [...many('w', 5, 100, pending), ...many('old', 5, 200)];
		await start();
		await looks(1);
		rows = [...many('n', 20, 1), ...rows];
		await host.look();
		for (let each = 0; each < 5; each++) finish(`w${each}`, 0);
		await looks(5);
		expect(host.started.filter((id) => String(id).startsWith('w')).sort()).toEqual([
			'w0',
			'w1',
			'w2',
			'w3',
			'w4',
		]);
	});

	it('is not read to its end by each look', async () => {
		page = () => ({ data: listed().slice(0, PAGE), total: 5_000 });
		rows = many('old', 20, 200);
		await start();
		const before = asked.length;
		await looks(3);
		expect(asked.slice(before).filter((path) => path === '/query')).toHaveLength(3);
	});

	it('tells once of a pending query that the service does not know any more', async () => {
		page = () => listed().slice(0, PAGE);
		rows = [row('gone', 1, pending), ...many('old', 5, 200)];
		await start();
		rows = rows.slice(1);
		await looks(7);
		expect([asked.filter((path) => path === '/query/gone').length, host.failures]).toEqual([
			5,
			[expect.stringMatching('The result of query gone could not be read 5 times')],
		]);
	});
});
