import { EventEmitter, once } from 'node:events';
import { toApplicantFormFields } from '../../../demo/submitN8nForm';
import { People } from '../../../sandbox/data/people/people';
import { defaultOptions } from '../../../sandbox/options';
import type { BilledQuery } from '../../../sandbox/services/taxQuery/ledger';
import { curps } from '../../nodes/taxQuery/support';
import { until } from '../../support/until';
import { Onboarding, TABLES, type Applicant } from '../support/onboarding';
import { describeIfChromium } from '../support/describeIfChromium';
import { openEditorOncePerFile, restartableN8n, startDemoOncePerFile } from '../support/sharedDemo';

const MINUTES = 60_000;
const COUNT = 100;
/** n8n is killed once so many applicants have their thank-you page, and again once so many queries are billed. */
const KILL_AT = 20;
/** The trigger by which *Verify applicant* takes the cases that were interrupted. */
const SCHEDULE = 'Every 15 minutes';
const every = (field: 'seconds' | 'minutes', interval: number) => ({
	rule: { interval: [{ field, [`${field}Interval`]: interval }] },
});
const people = new People(defaultOptions.seed);
const APPLICANTS: Applicant[] = curps(COUNT).map((curp) => people.byCurp(curp));
const CURPS = new Set(APPLICANTS.map(({ curp }) => curp));

describeIfChromium('a hundred applications at once', () => {
	let flow: Onboarding;
	beforeAll(async () => {
		flow = await Onboarding.in(await startDemoOncePerFile(), await openEditorOncePerFile());
	}, 5 * MINUTES);
	afterAll(async () => {
		await flow?.close();
	}, MINUTES);

	const cases = async () =>
		(await flow.rows(TABLES.cases)).filter(({ curp }) => CURPS.has(String(curp)));
	const workflowId = (example: string) => String(flow.demo.workflows.get(example)?.id);
	const executionsIn = async (status: string, example: string) =>
		await flow.demo.n8n.client.executionsIn(status, workflowId(example));

	const n8n = new EventEmitter();
	let isUp: Promise<unknown> = Promise.resolve();
	/** Sends one filled-in form until n8n thanks for it, as a person does whose connection broke. */
	async function apply({ name, firstLastName, secondLastName, birthDate, curp }: Applicant) {
		const typed = { name, firstLastName, secondLastName, birthDate, curp };
		const fields = toApplicantFormFields({ ...typed, correo: `${curp}@correo.mx` });
		const body = { ...fields, envio: `${curp}-envio` };
		return await until(
			`the thank-you page of ${curp}`,
			async () => {
				const page = await fetch(flow.formAddress, {
					method: 'POST',
					body: new URLSearchParams(body),
				})
					.then(async (response) => await response.text())
					.catch(async () => void (await isUp));
				return page !== undefined && /S-\w{4}-\w{4}/.exec(page)?.[0];
			},
			{ pauseMs: 500 },
		);
	}

	it(
		'are each one case, billed once, though n8n is killed twice among them',
		async () => {
			const ledger = async () => await flow.control<BilledQuery[]>('ledger');
			const from = (await ledger()).length;
			await flow.change('verify-applicant', ({ name, parameters }) => {
				// A case that is stored at a kill, and not yet verified, is left to the schedule.
				if (name === SCHEDULE) return every('seconds', 10);
				const { options } = parameters as { options?: { spendingLimits?: object } };
				if (!options?.spendingLimits) return parameters;
				const spendingLimits = { maxQueriesPerDay: 10 * COUNT };
				return { ...parameters, options: { ...options, spendingLimits } };
			});

			let thanked = 0;
			const sent = Promise.all(
				APPLICANTS.map(async (one) => {
					const folio = await apply(one);
					thanked++;
					return folio;
				}),
			);
			const billed = async () => (await ledger()).length - from;
			const killAndRestart = async () => {
				isUp = once(n8n, 'up');
				await restartableN8n.kill();
				await restartableN8n.restart(flow.demo.n8n.url);
				n8n.emit('up');
			};
			await until(`${KILL_AT} applicants are thanked`, () => thanked >= KILL_AT);
			expect(thanked).toBeLessThan(COUNT);
			await killAndRestart();
			await until(`${KILL_AT} queries are billed`, async () => (await billed()) >= KILL_AT);
			expect(await billed()).toBeLessThan(3 * COUNT);
			await killAndRestart();
			const folios = await sent;

			const stored = await cases();
			expect(stored.map(({ folio }) => String(folio)).sort()).toEqual([...folios].sort());
			expect(new Set(stored.map(({ curp }) => curp)).size).toBe(COUNT);

			// The schedule goes on with what the kill interrupted; here without its half hour.
			const isVerifying = async () =>
				(await cases()).some(({ paso }) => paso === 'consultar') ||
				(await executionsIn('running', 'verify-applicant')).length > 0;
			await until('no verification is due or runs', async () => !(await isVerifying()));
			await flow.change('verify-applicant', ({ name, parameters }) => {
				// Without the half hour, a second run would take a case that the first is verifying.
				if (name === SCHEDULE) return every('minutes', 15);
				if (name !== 'Due') return parameters;
				const { jsCode } = parameters as { jsCode: string };
				return {
					...parameters,
					jsCode: jsCode.replace('INTERRUPTED_AFTER_MINUTES = 30', 'INTERRUPTED_AFTER_MINUTES = 0'),
				};
			});
			while ((await cases()).some(({ paso }) => paso !== 'listo')) {
				await flow.runInEditor('verify-applicant', SCHEDULE);
			}
			const verified = await cases();
			expect(new Set(verified.map(({ estado, motivo }) => `${estado}: ${motivo}`))).toEqual(
				new Set(['consultada: ']),
			);

			const queries = (await ledger()).slice(from);
			const asked = queries.map(({ service, query }) => JSON.stringify([service, query]));
			expect([queries.length, new Set(asked).size]).toEqual([3 * COUNT, 3 * COUNT]);

			// What was being stored at the kill is left to n8n's Retry.
			for (const { id } of await executionsIn('crashed', 'review-applicants')) {
				await flow.demo.n8n.client.retry(id);
			}
			const results = async () => {
				const wanted = new Set(verified.map(({ consultaCrf }) => consultaCrf));
				return (await flow.rows(TABLES.results)).filter(({ queryId }) => wanted.has(queryId));
			};
			await until('the CRF of each', async () => (await results()).length >= COUNT);
			expect(new Set((await results()).map(({ queryId }) => queryId)).size).toBe(COUNT);
			expect((await results()).length).toBe(COUNT);
		},
		20 * MINUTES,
	);
});
