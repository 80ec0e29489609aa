export * from './documentAssociationSchemas';
export * from './dataCollectionSchemas';
export * from './organizationProviderCredential';
export * from './document';
export * from './stateAndCountryCodes';
export * from './collectionVersionMetaSchema';
export * from './creatorUser';
