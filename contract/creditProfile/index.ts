export * from './associatedProfileFormFileSchemas';
export * from './dataCollectionSchemas';
export * from './organizationProviderCredential';
export * from './document';
export * from './stateAndCountryCodes';
export * from './collectionVersionJsonSchema';
export * from './creatorUser';
