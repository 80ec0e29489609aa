import { Type, type Static } from '@sinclair/typebox';
import { closed, dateTime, freeForm, nullable, oneOf, optionalNullable } from '../builders';
import { AssociatedFile, AssociatedForm, AssociatedProfile } from './associations';

/** CP §2.7: `type` selects the shape of `association`. */
export const ProfilesOrFormsOrFilesAssociation = Type.Union([
	Type.Object({ type: Type.Literal('Profiles'), association: nullable(AssociatedProfile) }),
	Type.Object({ type: Type.Literal('Forms'), association: nullable(AssociatedForm) }),
	Type.Object({ type: Type.Literal('Files'), association: nullable(AssociatedFile) }),
]);
export type ProfilesOrFormsOrFilesAssociation = Static<typeof ProfilesOrFormsOrFilesAssociation>;

/** CP §2.7 */
export const DataDocument = Type.Partial(
	Type.Object({
		id: Type.Number(),
		externalId: nullable(Type.String()),
		tags: Type.Array(Type.String()),
		document: freeForm,
		dataCollectionVersionId: Type.Number(),
		dataCollectionId: Type.Number(),
		creatorId: nullable(Type.Number()),
		createdAt: dateTime,
		updatedAt: dateTime,
		/** Only when requested. */
		associations: Type.Array(ProfilesOrFormsOrFilesAssociation),
	}),
);
export type DataDocument = Static<typeof DataDocument>;

/** CP §4.8 */
export const CollectionDocumentsPathParams = closed({ collectionId: Type.Number() });
export type CollectionDocumentsPathParams = Static<typeof CollectionDocumentsPathParams>;

/** CP §4.8 */
export const DocumentsQuery = closed({
	limit: Type.Integer({ minimum: 10, maximum: 100, default: 50 }),
	offset: Type.Integer({ minimum: 0, default: 0 }),
	includeDataDocumentAssociations: Type.Boolean({ default: false }),
	includeProfileAssociation: Type.Boolean({ default: false }),
	includeFormAssociation: Type.Boolean({ default: false }),
	includeFileAssociation: Type.Boolean({ default: false }),
	/** Descending or ascending; as null, the default: ascending. */
	order: optionalNullable(oneOf(['-document.createdAt', 'document.createdAt'])),
});
export type DocumentsQuery = Static<typeof DocumentsQuery>;

/** CP §4.8 */
export const DocumentsPage = Type.Object({
	total: Type.Number(),
	documents: Type.Array(DataDocument),
});
export type DocumentsPage = Static<typeof DocumentsPage>;
