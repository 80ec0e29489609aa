import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';
import {
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from '../../nodes/taxQuery/support';

const ROWS = 2_000;
/** Every tenth row repeats the RFC of the row before it, every twentieth cannot be queried. */
const isDuplicate = (index: number) => index % 10 === 9;
const isWrong = (index: number) => index % 20 === 4;
const WRONG = ['', 'GODE561331GR8', 'XAXX010101000', 'EISE850314'];

function table(): IDataObject[] {
	const valid = rfcs(ROWS);
	const rows: IDataObject[] = [];
	for (let index = 0; index < ROWS; index++) {
		const rfc = isWrong(index)
			? WRONG[((index / 4) % WRONG.length) | 0]
			: isDuplicate(index)
				? ` ${String(rows[index - 1].rfc).toLowerCase()} `
				: valid[index];
		rows.push({ row: index + 1, client: `Client ${index + 1}`, rfc });
	}
	return rows;
}

/** n8n's nodes of the example list-of-taxpayers in between only pass items on. */
describe('a table of 2,000 taxpayers with 5 % failures and 10 % duplicates', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox, { rateLimit: 0, resultDelay: 0 });
	const waiting = { waitForResult: true, maxWait: 600, reuse: 'hours', reuseHours: 24 };
	const rows = table();
	const wrong = rows.filter((_, index) => isWrong(index));
	const unique = new Set(
		rows.filter((_, index) => !isWrong(index) && !isDuplicate(index)).map(({ rfc }) => rfc),
	);

	const check = async () =>
		(
			await sandbox.run(operationParameters('identifier', 'check', { rfc: '={{ $json.rfc }}' }), {
				items: rows,
				credentials: {},
			})
		).items.map(({ json }) => json);

	it('is checked with each row in its place', async () => {
		expect((await check()).map(({ row, client, ready }) => [row, client, ready])).toEqual(
			rows.map((row, index) => [row.row, row.client, !isWrong(index)]),
		);
	});

	it('keeps all columns through Check and Get CRF, and is billed once for each RFC', async () => {
		const ready = (await check()).filter((row) => row.ready === true);
		const { items, failed, hints } = await sandbox.run(getCrfParameters(waiting), {
			items: ready,
			onError: 'continueErrorOutput',
		});
		expect([ready.length, failed]).toEqual([ROWS - wrong.length, []]);
		expect(items.map(({ json }) => [json.row, json.client, json.rfc, json.outcome])).toEqual(
			ready.map(({ row, client, rfc }) => [row, client, rfc, 'result']),
		);
		// one table: every row has the same columns, but for the marks of a reused result
		const marks = ['reused', 'ageHours'];
		const columns = items.map(({ json }) =>
			Object.keys(json)
				.filter((name) => !marks.includes(name))
				.join(),
		);
		expect(new Set(columns).size).toBe(1);
		expect((await sandbox.ledger()).length).toBe(unique.size);
		expect(hints[0].message).toMatch(
			new RegExp(
				`^Billed: ${unique.size} queries\\. ${ready.length} items, ${unique.size} different queries\\.`,
			),
		);
	});

	it('comes out as results and failures, and is billed once for each RFC', async () => {
		const { items, failed, hints } = await sandbox.run(getCrfParameters(waiting), {
			items: rows,
			onError: 'continueErrorOutput',
		});
		expect(items.length + failed.length).toBe(ROWS);
		expect(items.every(({ json }) => json.outcome === 'result' && json.legalName)).toBe(true);
		expect(failed.map(({ json }) => [json.row, json.client, json.rfc, json.outcome])).toEqual(
			wrong.map(({ row, client, rfc }) => [row, client, rfc, 'notSent']),
		);
		expect(failed.every(({ json }) => json.error && json.errorCode && json.billed === 0)).toBe(
			true,
		);
		expect((await sandbox.ledger()).length).toBe(unique.size);
		expect(hints[0].message).toMatch(
			new RegExp(
				`^Billed: ${unique.size} queries\\. ${ROWS - wrong.length} of ${ROWS} items, ${unique.size} different queries\\. ${wrong.length} items failed before sending\\.`,
			),
		);
	});
});

describe('a table of 1,000 items, with duplicates, empty and hostile values', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);

	const right = rfcs(500);
	const wrong: unknown[] = [
		'',
		' ',
		null,
		undefined,
		0,
		-1,
		1e21,
		true,
		[],
		[right[0]],
		{},
		{ toString: 'x', valueOf: 'y' },
		{ __proto__: null, length: 13 },
		'__proto__',
		'constructor',
		'={{ $json }}',
		'{{ 1 + 1 }}',
		"'; DROP TABLE queries; --",
		'<script>alert(1)</script>',
		'../../oauth/token',
		'GODE561231GR8\u0000',
		'GODE561231GR8\r\nX-Injected: 1',
		'😀'.repeat(10),
		'A'.repeat(1_000_000),
	];
	const cells = Array.from({ length: 1_000 }, (_, index) =>
		index % 20 === 19 ? wrong[Math.floor(index / 20) % wrong.length] : right[index % 500],
	);

	it('gives each item its own row, and is billed once for each RFC with Reuse', async () => {
		const { items, error } = await sandbox.run(
			getCrfParameters(
				{ reuse: 'hours', reuseHours: 24 },
				{ externalReference: '={{ $itemIndex }}', spendingLimits: { maxQueriesPerDay: 5000 } },
			),
			{
				items: cells.map((rfc) => ({ rfc })) as INodeExecutionData['json'][],
				onError: 'continueRegularOutput',
			},
		);
		const ofItem = new Map(
			items.map(({ json, pairedItem }) => [(pairedItem as { item: number }).item, json]),
		);
		const unknown = cells.filter((rfc, index) => {
			const json = ofItem.get(index);
			return right.includes(rfc as string)
				? json?.rfc !== rfc || json?.externalReference !== index
				: !String(json?.error).startsWith("'RFC'");
		});
		const paid = (await sandbox.ledger()).map(({ query }) => query.rfc);
		const wanted = new Set(cells.filter((rfc) => right.includes(rfc as string)));
		expect({ error, items: items.length, unknown: unknown.slice(0, 3) }).toEqual({
			...{ error: undefined, items: 1_000, unknown: [] },
		});
		expect(paid.sort()).toEqual([...wanted].sort());
	});
});
