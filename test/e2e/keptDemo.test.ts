import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchUnpooled } from '../../demo/fetchUnpooled';
import { readKeptDemo } from '../../demo/keptDemo';
import { applicationFormUrl, REVIEW_PAGES_BASIC_AUTH } from '../../demo/provision';
import { applicantJsonFile } from '../../demo/smokeTest';
import { startDemo, type Demo } from '../../demo/startDemo';
import { LOW_CPU } from '../../demo/startN8n';
import { postApplication, toApplicantFormFields } from '../../demo/submitN8nForm';
import { freeDemoPort } from '../support/freeDemoPort';
import { until } from '../support/until';

const applicant = JSON.parse(readFileSync(applicantJsonFile, 'utf8')) as Record<string, string>;
const { user, password } = REVIEW_PAGES_BASIC_AUTH;
const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('a demo that is kept', () => {
	let folder: string;
	let port: number;
	let demo: Demo | undefined;
	beforeAll(async () => {
		folder = mkdtempSync(join(tmpdir(), 'credit-profile-kept-'));
		port = await freeDemoPort();
	});
	afterAll(async () => {
		await demo?.stop();
		rmSync(folder, { recursive: true, force: true });
	});

	const start = async () =>
		(demo = await startDemo({ kept: await readKeptDemo(folder, port), settings: LOW_CPU }));
	const dossier = async ({ n8n }: Demo, folio: string) => {
		const url = `${n8n.url}/webhook/solicitudes?formato=json&folio=${folio}`;
		const response = await fetchUnpooled(url, { headers: { authorization } });
		return (await response.json()) as { estado?: string; waiting?: unknown[] };
	};
	const billed = async ({ sandbox }: Demo) =>
		(await (await fetchUnpooled(new URL('sandbox/ledger', sandbox.page))).json()) as unknown[];
	const apply = async ({ n8n }: Demo) =>
		String(
			/S-\w{4}-\w{4}/.exec(
				await postApplication(applicationFormUrl(n8n), toApplicantFormFields(applicant)),
			)?.[0],
		);

	it('goes on with its cases, workflows and bills after it was ended', async () => {
		const first = await start();
		const folio = await apply(first);
		await until('the application is complete', async () => {
			const { estado, waiting } = await dossier(first, folio);
			return estado === 'consultada' && waiting?.length === 0;
		});
		await first.stop();

		const second = await start();
		expect([second.n8n.url, [...second.workflows]]).toEqual([first.n8n.url, [...first.workflows]]);
		expect(await dossier(second, folio)).toMatchObject({ estado: 'consultada' });
		const again = await apply(second);
		await until('the next one is verified', async () => {
			return (await dossier(second, again)).estado === 'consultada';
		});
		expect(await billed(second)).toHaveLength(3);
	});
});
