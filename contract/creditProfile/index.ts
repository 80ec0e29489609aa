export * from './associations';
export * from './collection';
export * from './credential';
export * from './document';
export * from './places';
export * from './restrictedSchema';
export * from './user';
