import { startStubServer, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { runNodeInEngine } from '../../support/runNodeInEngine';

const ROW = { id: 1, name: 'Peña Ávila' };
const PAGE = JSON.stringify({ data: [ROW], total: 1 });
const BOM = '\uFEFF';

async function list(response: StubResponse) {
	const service = await startStubServer(() => response);
	const { items } = await runNodeInEngine({
		type: 'creditProfile',
		parameters: {
			...{ resource: 'dataCollection', operation: 'getAll', returnAll: true },
			options: { simplify: false },
		},
		credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
	});
	await service.close();
	return items.map(({ json }) => json);
}

it.each<[string, BufferEncoding]>([
	['iso-8859-1', 'latin1'],
	['windows-1252', 'latin1'],
	['ISO-8859-1', 'latin1'],
	['ISO-8859-1', 'utf8'],
])('a body of charset %s is read whose bytes are %s', async (charset, encoding) => {
	const type = `application/json; charset=${charset}`;
	expect(await list({ type, body: Buffer.from(PAGE, encoding) })).toEqual([ROW]);
});

it('a body of plain text behind a byte order mark is read as JSON', async () => {
	expect(await list({ type: 'text/plain', body: BOM + PAGE })).toEqual([ROW]);
});
