export * from './documentAssociations';
export * from './collection';
export * from './organizationProviderCredential';
export * from './document';
export * from './stateAndCountryCodes';
export * from './collectionJsonSchema';
export * from './creatorUser';
