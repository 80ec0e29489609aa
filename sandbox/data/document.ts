import type { DataDocument, Version } from '../../contract/creditProfile';
import { fakeApplicant, type Applicant } from './applicant';
import type { StoredCollection } from './collections';
import { fakeValueFor } from './fakeValue';
import { USER_COUNT } from './users';
import type { People } from './people/people';
import { fakerFor } from './faker';
import { DAY_MS } from '../clock';

/** Documents of the newest version have been coming in for so long at most. */
const LAST_PERIOD_MS = 120 * DAY_MS;
const IDS_PER_COLLECTION = 100_000;
/** They repeat in this order. */
export const DOCUMENT_TAG_SETS = [
	[],
	['validado'],
	['revisión', 'prioridad'],
	['validado', 'señalado'],
	['migrado'],
	[],
];

const tagsOf = (index: number): string[] => DOCUMENT_TAG_SETS[index % DOCUMENT_TAG_SETS.length];

/** It is generated on demand. */
export interface DocumentWithApplicant {
	document: DataDocument;
	applicant: Applicant;
	isCompany: boolean;
	index: number;
}

/** The oldest documents are of the oldest version. */
function originOf(
	{ versions, documents }: StoredCollection,
	index: number,
): { version: Version; createdAt: number } {
	const age = Math.floor((index * versions.length) / documents);
	const first = Math.ceil((age * documents) / versions.length);
	const next = Math.ceil(((age + 1) * documents) / versions.length);
	const version = versions[versions.length - 1 - age];
	const from = Date.parse(version.createdAt);
	const follower = versions[versions.length - 2 - age];
	const period = follower ? Date.parse(follower.createdAt) - from : LAST_PERIOD_MS;
	const createdAt = from + Math.floor((period * (index - first + 1)) / (next - first + 1));
	return { version, createdAt };
}

/** Places count from the oldest. An equal seed gives an equal document. */
export function generateCollectionDocument(
	entry: StoredCollection,
	index: number,
	seed: number,
	people: People,
): DocumentWithApplicant {
	const { collection } = entry;
	const faker = fakerFor(seed, `document ${collection.id} ${index}`);
	const applicant = fakeApplicant(faker, people);
	const { version, createdAt } = originOf(entry, index);
	const isImported = index % 9 === 8;
	return {
		index,
		applicant,
		isCompany: 'razonSocial' in (version.schema.properties ?? {}),
		document: {
			id: collection.id * IDS_PER_COLLECTION + index + 1,
			externalId: index % 5 === 4 ? null : `EXT-${collection.id}-${index + 1}`,
			tags: tagsOf(index),
			document: fakeValueFor(version.schema, '', applicant, faker) as Record<string, unknown>,
			dataCollectionVersionId: version.id,
			dataCollectionId: collection.id,
			creatorId: isImported ? null : faker.number.int({ min: 1, max: USER_COUNT }),
			createdAt: new Date(createdAt).toISOString(),
			updatedAt: new Date(createdAt + faker.number.int(DAY_MS)).toISOString(),
		},
	};
}
