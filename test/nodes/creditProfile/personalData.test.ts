import { codeOf, codeAndFieldOf } from '../../support/errorCode';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { LOANS_COLLECTION_ID, createSandboxNodeRunner } from './support';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const documents = {
	resource: 'dataDocument',
	operation: 'getAll',
	collection: { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID },
	limit: 10,
};
const IDENTIFIER = /[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}/;
const withMode = (personalData: string, options: object = {}) => ({
	...documents,
	options: { personalData, includeAssociations: ['profiles', 'files'], ...options },
});

describe('the option Personal Data', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	it.each([true, false])(
		'Masked leaves no identifier, name or link, Simplify %s',
		async (simplify) => {
			const full = await run(withMode('full', { simplify }));
			const { items } = await run(withMode('masked', { simplify }));
			const text = JSON.stringify(items);
			expect(JSON.stringify(full.items)).toMatch(IDENTIFIER);
			expect(text).not.toMatch(IDENTIFIER);
			expect(text).not.toContain('http');
			expect(items.length).toBe(10);
		},
	);

	it('Pseudonym gives the same person the same code, in documents and their profiles', async () => {
		const api = { pseudonymKey: 'sixteen or more letters' };
		const { items } = await run(withMode('pseudonym'), { api });
		const [{ json }] = items;
		const [profile] = json.profiles as Array<{ rfc: string }>;
		expect([json.rfc, profile.rfc]).toEqual([expect.stringMatching(/^p_[0-9a-f]{24}$/), json.rfc]);
	});

	it('Pseudonym without a key is refused before a request is spent', async () => {
		const { error } = await run(withMode('pseudonym'));
		expect([codeOf(error), await sandbox.requests()]).toEqual(['credential.pseudonymKey', []]);
	});

	it('an expression that comes out empty is not taken for Full', async () => {
		const { error } = await run(withMode('={{ $json.missing }}'));
		expect(codeAndFieldOf(error)).toEqual(['field.choice', 'Personal Data']);
	});

	it('withholds what the service says in an error', async () => {
		const path = `/api/v1/data/collection/${LOANS_COLLECTION_ID}/document`;
		await sandbox.faults({ path, fault: { status: 400, body: { message: 'No GODE561231GR8' } } });
		const { error } = await run(withMode('masked', { simplify: false }));
		expect([codeOf(error), error?.description]).toEqual([
			'status.400',
			expect.not.stringContaining('GODE'),
		]);
	});

	it('withholds where a redirect leads, which may name somebody', async () => {
		const path = `/api/v1/data/collection/${LOANS_COLLECTION_ID}/document`;
		const headers = { location: '/person/EMMA' };
		await sandbox.faults({ path, fault: { status: 302, headers } });
		const reported = [];
		for (const personalData of ['full', 'masked']) {
			const { error, saved } = await run(withMode(personalData, { simplify: false }));
			reported.push([codeOf(error), saved.includes('EMMA')]); // in all that n8n keeps
		}
		expect(reported).toEqual([
			['status.302', true],
			['status.302', false],
		]);
	});
});
