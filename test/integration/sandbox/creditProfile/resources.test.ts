import { firstViolation } from '../../../../contract/check';
import type {
	CollectionsPage,
	DocumentsPage,
	RestrictedSchema,
	VersionsPage,
} from '../../../../contract/creditProfile';
import { benchForTests } from '../support/creditProfile';
import { Fields, MISSING } from '../support/constraints';
import { endpointTables } from './tables/endpoints';
import { resourceTables } from './tables/resources';
import type { Samples } from './tables/table';

const bench = benchForTests();
let samples: Samples;

beforeAll(async () => {
	samples = await takeSamples();
});

const get = async <T>(path: string): Promise<T> => (await bench.service.get<T>(path)).data;

/** A schema and all schemas inside it. */
const withInner = (schema: RestrictedSchema): RestrictedSchema[] => [
	schema,
	...Object.values(schema.properties ?? {}).flatMap(withInner),
	...(schema.items ? withInner(schema.items) : []),
];

/** Returns what the running sandbox answers, of every resource of CP §2. */
async function takeSamples(): Promise<Samples> {
	const upserts = endpointTables.filter(({ method }) => method === 'POST');
	for (const { path, bodies } of upserts) await bench.service.post(path, bodies?.valid[0]);
	const { data: collections } = await get<CollectionsPage>(
		'/data/collection?limit=100&includeCreator=true&includeActiveDataCollectionVersion=true',
	);
	const all =
		'limit=100&includeProfileAssociation=true&includeFormAssociation=true&includeFileAssociation=true';
	const versions: VersionsPage['data'] = [];
	const documents: DocumentsPage['documents'] = [];
	for (const { id } of collections) {
		versions.push(...(await get<VersionsPage>(`/data/collection/${id}/versions`)).data);
		const page = await get<DocumentsPage>(`/data/collection/${id}/document?${all}`);
		documents.push(...page.documents);
	}
	const associations = documents.flatMap(({ associations: some = [] }) => some);
	const ofType = (wanted: string): object[] =>
		associations.flatMap(({ type, association }) =>
			type === wanted && association ? [association] : [],
		);
	const present = <T>(values: Array<T | null | undefined>): T[] =>
		values.filter((value) => value !== null && value !== undefined);
	return {
		Credential: await get<object[]>('/credential'),
		Collection: collections,
		'Embedded version': present(
			collections.map(({ activeDataCollectionVersion: version }) => version),
		),
		Version: versions,
		'Restricted schema': versions.flatMap(({ schema }) => withInner(schema)),
		User: present(collections.map(({ creator }) => creator)),
		Document: documents,
		Profile: ofType('Profiles'),
		Form: ofType('Forms'),
		'formConfig of a form': ofType('Forms').map(
			(form) => (form as { formConfig: object }).formConfig,
		),
		File: ofType('Files'),
	};
}

/** The sample with the field (or fields) set, or left out. */
function withValue(sample: object, field: string, value: unknown): object {
	if (value instanceof Fields) return { ...sample, ...value.values };
	const others = Object.entries(sample).filter(([name]) => name !== field);
	return { ...Object.fromEntries(others), ...(value !== MISSING && { [field]: value }) };
}

const shown = (value: unknown) =>
	value === MISSING ? 'left out' : JSON.stringify(value instanceof Fields ? value.values : value);

describe.each(resourceTables)('CP §$section $name', ({ name, schema, isClosed, rows }) => {
	/** A sample that holds something in the field. */
	const sampleWith = (field: string): object => {
		const sample = samples[name].find(
			(one) => (one as Record<string, unknown>)[field] !== undefined,
		);
		if (!sample) throw new Error(`The sandbox never sends ${field}`);
		return sample;
	};

	it.each(Object.entries(rows))('%s is sent, and held to its constraints', (field, row) => {
		const sample = sampleWith(field);
		const { allowed = [], broken } = row;
		const refused = allowed.filter((value) =>
			firstViolation(schema, withValue(sample, field, value)),
		);
		const passed = broken.filter(
			(value) => !firstViolation(schema, withValue(sample, field, value)),
		);
		expect({ refused: refused.map(shown), passed: passed.map(shown) }).toEqual({
			refused: [],
			passed: [],
		});
	});

	it(`${isClosed ? 'has' : 'may have'} ${isClosed ? 'no ' : ''}other properties`, () => {
		const violation = firstViolation(schema, { ...samples[name][0], somethingElse: 1 });
		expect(violation?.field).toBe(isClosed ? 'somethingElse' : undefined);
	});

	it('is sent with no field that its table does not have', () => {
		const sent = new Set(samples[name].flatMap((sample) => Object.keys(sample)));
		expect([...sent].filter((field) => !(field in rows))).toEqual([]);
	});
});
