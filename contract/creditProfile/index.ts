export * from './associations';
export * from './dataCollection';
export * from './providerLogin';
export * from './document';
export * from './regionCodes';
export * from './versionSchema';
export * from './creatorUser';
