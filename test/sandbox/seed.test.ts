import type { QueryRecord } from '../../contract/taxQuery';
import { CURP, withSandboxClients } from './support/clients';

/** What depends on the seed. */
const read = async (seed: number) =>
	await withSandboxClients(
		{ seed, pastQueries: 20 },
		async ({ sandbox, creditProfile, taxQuery }) => {
			const params = { limit: 100, includeCreator: true };
			const { data: collections } = await creditProfile.get<object>('/data/collection', { params });
			const { data: documents } = await creditProfile.get<object>('/data/collection/2/document');
			const { data: past } = await taxQuery.get<QueryRecord[]>('/query');
			const body = { curp: CURP };
			const { data: made } = await taxQuery.post<QueryRecord>('/query/curp-data', body);
			const pastQueries = past.map(({ _id, response }) => ({ _id, response }));
			const secrets = [sandbox.creditProfile.token, sandbox.taxQuery.clientId];
			return { secrets, collections, documents, pastQueries, result: made.response };
		},
	);

it('an equal seed gives equal secrets and data, another seed gives others', async () => {
	const first = await read(5);
	expect(await read(5)).toEqual(first);
	const other = await read(6);
	for (const part of Object.keys(first) as Array<keyof typeof first>) {
		expect(other[part]).not.toEqual(first[part]);
	}
});
