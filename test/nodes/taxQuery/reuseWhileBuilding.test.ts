import type { INodeParameters } from 'n8n-workflow';
import { resetProcessState } from '../../../nodes/shared/processStateByScope';
import { fakeService, respondJson, type StoredQuery } from './fakeService';
import { curps, getCrfParameters, operationParameters, rfcs } from './support';

type Change = (stored: StoredQuery) => Partial<StoredQuery>;

const [RFC] = rfcs(1);
const [CURP] = curps(1);
const HOUR_MS = 3_600_000;
const crf = getCrfParameters();
const jobs = operationParameters('person', 'getEmploymentHistory', { curp: CURP });
const calculation = (person = {}) =>
	operationParameters('taxpayer', 'calculateRfc', {
		...{ name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz', birthDate: '1956-02-05' },
		...{ reuse: 'building', ...person },
	});

describe('a second run in the editor', () => {
	/** Runs both at a service that stores what it accepts with these changes. */
	const runTwice = async (change: Change, first: INodeParameters, second = first) => {
		const service = await fakeService({
			post(accept, response) {
				const stored = accept();
				Object.assign(stored, change(stored));
				respondJson(response, { message: 'Accepted', queryId: stored._id });
			},
		});
		const requests = { items: [{ rfc: RFC }], mode: 'manual' as const };
		await service.run(first, requests);
		const { hints } = await service.run(second, requests);
		await service.close();
		return { billed: service.billed.length, hints: hints.map(({ message }) => message).join() };
	};

	it.each<[string, INodeParameters, Change]>([
		['an unknown query type', jobs, () => ({ service: 'EMPLOYMENT_HISTORY' })],
		['an unknown status', crf, () => ({ status: 'LISTO' })],
		['one field more', crf, ({ query }) => ({ query: { ...query, tipo: 'PF' } })],
		['no date', crf, () => ({ createdAt: undefined })],
		[
			'a date without a zone',
			crf,
			() => ({ createdAt: new Date(Date.now() - 30 * HOUR_MS).toISOString().slice(0, 19) }),
		],
		['masked fields', crf, () => ({ query: { rfc: 'GODE*********' } })],
	])('is billed, and hints, if the listed query has %s', async (_what, request, change) => {
		expect(await runTwice(change, request)).toEqual({
			billed: 2,
			hints: expect.stringContaining("'Reuse Results': 1 query"),
		});
	});

	it.each<[string, Change]>([
		[
			'names without accents, in capitals',
			({ query }) => ({
				query: { ...query, name: 'EMMA', firstLastName: 'GOMEZ', secondLastName: 'DIAZ' },
			}),
		],
		[
			'days and months of two digits',
			({ query }) => ({ query: { ...query, day: '05', month: '02' } }),
		],
	])('is not billed if the listed query has %s', async (_what, change) => {
		expect(await runTwice(change, calculation())).toEqual({
			billed: 1,
			hints: expect.stringContaining(' 1 reused'),
		});
	});

	it.each([
		['&amp; for &', 'MU&M850101AB1', (rfc: string) => rfc.replace('&', '&amp;'), 1],
		['&#x26; for &', 'MU&M850101AB1', (rfc: string) => rfc.replace('&', '&#x26;'), 1],
		['&amp;amp; for &', 'MU&M850101AB1', (rfc: string) => rfc.replace('&', '&amp;amp;'), 1],
	])('is not billed if the service repeats %s', async (_what, rfc, escaped) => {
		const change: Change = ({ query }) => ({ query: { ...query, rfc: escaped(rfc) } });
		expect(await runTwice(change, getCrfParameters({ rfc }, { checkIdentifiers: 'off' }))).toEqual({
			billed: 1,
			hints: expect.stringContaining(' 1 reused'),
		});
	});

	it('is not billed if the service escapes an apostrophe in a name', async () => {
		const change: Change = ({ query }) => ({
			query: { ...query, firstLastName: 'O&#x27;Farrill' },
		});
		expect(await runTwice(change, calculation({ firstLastName: "O'Farrill" }))).toMatchObject({
			billed: 1,
		});
	});

	it('hints at an echo whose letters are lost', async () => {
		const change: Change = ({ query }) => ({ query: { ...query, firstLastName: 'MuÃ±oz' } });
		expect(await runTwice(change, calculation({ firstLastName: 'Muñoz' }))).toEqual({
			billed: 2,
			hints: expect.stringContaining("'Reuse Results': 1 query"),
		});
	});

	it('is billed for Pena after Peña', async () => {
		const [first, second] = ['Peña', 'Pena'].map((firstLastName) => calculation({ firstLastName }));
		expect(await runTwice(() => ({}), first, second)).toMatchObject({ billed: 2 });
	});
});

describe("a case of n8n's evaluations", () => {
	it('is billed once, however often it is run', async () => {
		const service = await fakeService();
		const requests = { items: [{ rfc: RFC }], mode: 'evaluation' as const };
		for (let run = 0; run < 3; run++) {
			resetProcessState();
			await service.run(crf, requests);
		}
		await service.close();
		expect(service.billed).toHaveLength(1);
	});
});
