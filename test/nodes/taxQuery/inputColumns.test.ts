import type { IDataObject } from 'n8n-workflow';
import type { NodeRun } from '../../support/runNodeInEngine';
import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import { codeOf } from '../../support/errorCode';
import {
	createTaxProfileParameters,
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
	CIEC,
} from './support';

const CRF =
	'legalName rfc regimes valid validUntil representativeRfc zipCode federalState pending queryId';
const namesOf = (json: IDataObject) => Object.keys(json);
const jsonOf = ({ items }: NodeRun) => items.map(({ json }) => json);

describe('the columns of the input', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox, {});
	const me = () => sandbox.reserved('success').rfc;
	const check = async (items: IDataObject[]) =>
		jsonOf(
			await sandbox.run(operationParameters('identifier', 'check', { rfc: '={{ $json.rfc }}' }), {
				items,
				credentials: {},
			}),
		);
	const waiting = { waitForResult: true, maxWait: 30 };

	it('all survive Check and then Get CRF, the new ones behind them', async () => {
		const items = await check([{ cliente: 'Uno', alta: '2026-01-02', rfc: ` ${me()} ` }]);
		const { items: found, error } = await sandbox.run(getCrfParameters(waiting), { items });
		expect(error).toBeUndefined();
		const { json, pairedItem } = found[0];
		expect(namesOf(json)).toEqual(
			`cliente alta inputValid ready problem warning type birthDate ${CRF}`.split(' '),
		);
		expect(json).toMatchObject({ cliente: 'Uno', rfc: me(), inputValid: true, valid: true });
		expect(pairedItem).toEqual({ item: 0 });
	});

	it('have one name beside results and pending queries, and their own beside failures', async () => {
		const [pending, failed] = [sandbox.reserved('pending').rfc, sandbox.reserved('failed').rfc];
		const rows = [me(), pending, failed].map((rfc, row) => ({ row, valid: 'mine', rfc }));
		const run = await sandbox.run(getCrfParameters({ ...waiting, maxWait: 1 }), {
			items: rows,
			onError: 'continueErrorOutput',
		});
		const [result, open] = jsonOf(run);
		const [{ json: failure }] = run.failed;
		expect(namesOf(result)).toEqual(['row', 'inputValid', ...CRF.split(' ')]);
		expect(namesOf(open)).toEqual(['row', 'inputValid', 'rfc', 'pending', 'status', 'queryId']);
		expect(namesOf(failure)).toEqual(
			'row valid rfc error errorCode errorDetail queryId billed sent'.split(' '),
		);
		expect([result.inputValid, open.inputValid, failure.valid]).toEqual(['mine', 'mine', 'mine']);
	});

	it('come with the files of the input, for failed items, too', async () => {
		const binary = { ine: { data: 'aGk=', mimeType: 'text/plain', fileName: 'ine.txt' } };
		const rows = [{ rfc: me() }, { rfc: sandbox.reserved('failed').rfc }];
		for (const onError of ['continueErrorOutput', 'continueRegularOutput'] as const) {
			const run = await sandbox.run(getCrfParameters(waiting), { items: rows, binary, onError });
			const all = [...run.items, ...run.failed];
			expect(all.map((item) => item.binary)).toEqual([binary, binary]);
		}
		const without = { ...waiting, includeOtherFields: false };
		const { items } = await sandbox.run(getCrfParameters(without), { items: [rows[0]], binary });
		expect(items[0].binary).toBeUndefined();
	});

	it.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
		'keep the query ID of an earlier query beside a failure, under %s',
		async (onError) => {
			const { items, failed } = await sandbox.run(getCrfParameters(), {
				items: [{ rfc: 'GODE561331GR8', queryId: 'earlier', error: 'earlier' }],
				onError,
			});
			expect([...items, ...failed][0].json).toMatchObject({
				...{ inputQueryId: 'earlier', queryId: null, errorCode: 'identifier.DATE' },
			});
		},
	);

	it('leave no name of the input readable beside a failure under Masked', async () => {
		const { failed } = await sandbox.run(getCrfParameters({}, { personalData: 'masked' }), {
			items: [{ rfc: 'GODE561331GR8', legalName: 'Emma', queryId: 'earlier' }],
			onError: 'continueErrorOutput',
		});
		expect(failed[0].json).toMatchObject({ legalName: '******', inputQueryId: '******' });
		expect(JSON.stringify(failed)).not.toContain('Emma');
	});

	it('stand beside a reused result', async () => {
		const rows = [{ row: 1, rfc: me() }];
		await sandbox.run(getCrfParameters(waiting), { items: rows });
		const again = await sandbox.run(
			getCrfParameters({ ...waiting, reuse: 'hours', reuseHours: 24 }),
			{
				items: rows,
			},
		);
		expect(jsonOf(again)[0]).toMatchObject({ row: 1, reused: true, pending: false });
		expect(await sandbox.ledger()).toHaveLength(1);
	});

	it('stand beside each row of an item that has several', async () => {
		await sandbox.run(createTaxProfileParameters(me()));
		const run = await sandbox.run(
			operationParameters('taxAuthority', 'getInvoices', {
				...{ rfc: '={{ $json.rfc }}', period: 'months' },
				...{ firstMonth: '2026-01', lastMonth: '2026-03' },
			}),
			{ items: [{ cliente: 'Uno', rfc: me(), period: 'trimestre' }] },
		);
		expect(
			jsonOf(run).map(({ cliente, inputPeriod, period }) => [cliente, inputPeriod, period]),
		).toEqual(['2026-01', '2026-02', '2026-03'].map((month) => ['Uno', 'trimestre', month]));
	});

	it('stand before a raw record with Simplify off', async () => {
		const { items } = await sandbox.run(getCrfParameters(waiting, { simplify: false }), {
			items: [{ cliente: 'Uno', rfc: me(), service: 'mine' }],
		});
		expect(items[0].json).toMatchObject({
			...{ cliente: 'Uno', rfc: me(), inputService: 'mine' },
			...{ service: 'CRF', status: 'SUCCESS', query: { rfc: me() } },
		});
	});

	it('keep the query ID of an earlier query of another type', async () => {
		const [{ curp }] = [sandbox.reserved('success')];
		const first = await sandbox.run(
			operationParameters('person', 'getCurpData', { curp: '={{ $json.curp }}' }),
			{ items: [{ cliente: 'Uno', curp, rfc: me() }] },
		);
		const [person] = jsonOf(first);
		expect(person).toMatchObject({ inputRfc: me(), curp });
		const [both] = jsonOf(await sandbox.run(getCrfParameters(waiting), { items: [person] }));
		expect([both.inputQueryId, both.curp, both.cliente]).toEqual([person.queryId, curp, 'Uno']);
		expect(both.queryId).not.toBe(person.queryId);
		const [all] = jsonOf(
			await sandbox.run(operationParameters('taxpayer', 'getRfcData', { rfc: me(), ...waiting }), {
				items: [both],
			}),
		);
		expect([all.inputQueryId, all.inputQueryId2]).toEqual([person.queryId, both.queryId]);
	});

	it('give way to the newer state of the same query, however often it is read', async () => {
		const sent = await sandbox.run(getCrfParameters(), {
			items: [{ cliente: 'Uno', status: 'nuevo', rfc: sandbox.reserved('pending').rfc }],
		});
		const get = operationParameters('query', 'get', { queryId: '={{ $json.queryId }}' });
		const once = await sandbox.run(get, { items: jsonOf(sent) });
		const twice = await sandbox.run(get, { items: jsonOf(once) });
		expect(jsonOf(once)[0]).toMatchObject({
			...{ cliente: 'Uno', inputStatus: 'nuevo', status: 'PENDING', pending: true },
		});
		expect(namesOf(jsonOf(twice)[0])).toEqual(namesOf(jsonOf(once)[0]));
		expect(jsonOf(twice)[0]).not.toHaveProperty('message');
	});

	it('never come out as an error of an item that succeeded', async () => {
		const { items } = await sandbox.run(getCrfParameters(), {
			items: [{ rfc: me(), error: 'of an earlier step', sent: 'yes' }],
			maxTries: 3,
		});
		expect(items[0].json).toMatchObject({ inputError: 'of an earlier step', inputSent: 'yes' });
		expect(items[0].json).not.toHaveProperty('error');
		expect(await sandbox.requests('/api/query/crf')).toHaveLength(1);
	});

	it.each<[string, object, boolean]>([
		['with Include Other Input Fields off', { includeOtherFields: false }, false],
		['for an AI agent', {}, true],
	])('are left out %s', async (_when, fields, isTool) => {
		const { items } = await sandbox.run(getCrfParameters({ ...waiting, ...fields }), {
			items: [{ cliente: 'Uno', rfc: me() }],
			isTool,
		});
		expect(namesOf(items[0].json)).toEqual(CRF.split(' '));
	});

	it('stop an item before sending where the choice cannot be read', async () => {
		const { error } = await sandbox.run(getCrfParameters({ includeOtherFields: 'perhaps' }), {
			items: [{ rfc: me() }],
		});
		expect([codeOf(error), await sandbox.ledger()]).toEqual(['field.boolean', []]);
	});

	it.each(['masked', 'pseudonym'])('are hidden under %s, except Fields to Keep', async (mode) => {
		const { items } = await sandbox.run(
			getCrfParameters(waiting, { personalData: mode, fieldsToKeep: ['row'] }),
			{
				items: [{ row: 7, cliente: 'Uno', rfc: me() }],
				credentials: {
					taxQueryApi: {
						...sandbox.credentials().taxQueryApi,
						pseudonymKey: 'a key that is long enough to be one',
					},
				},
			},
		);
		const { row, cliente } = items[0].json;
		expect([row, cliente === 'Uno', JSON.stringify(items).includes(me())]).toEqual([
			7,
			false,
			false,
		]);
	});

	it('repeat no secret that a parameter takes from them', async () => {
		const { items, error } = await sandbox.run(
			operationParameters('taxAuthority', 'createTaxProfile', {
				...{ loginFrom: 'fields', rfc: '={{ $json.rfc }}', ciec: '={{ $json.clave }}' },
			}),
			{ items: [{ cliente: 'Uno', rfc: me(), clave: CIEC, note: `${CIEC}!` }], secrets: [CIEC] },
		);
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ cliente: 'Uno', clave: '***', note: '***' });
	});

	it('keep their rows where 2,000 of them come out', async () => {
		const rows = rfcs(2_000).map((rfc, row) => ({ row, rfc, queryId: `mine ${row}` }));
		const { items, error } = await sandbox.run(getCrfParameters(), { items: rows });
		expect(error).toBeUndefined();
		expect(
			jsonOf({ items } as NodeRun).map(({ row, inputQueryId }) => [row, inputQueryId]),
		).toEqual(rows.map(({ row, queryId }) => [row, queryId]));
	}, 120_000);
});
