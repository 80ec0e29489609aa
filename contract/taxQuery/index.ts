export * from './acknowledgement';
export * from './requestBodies';
export * from './record';
export * from './token';
