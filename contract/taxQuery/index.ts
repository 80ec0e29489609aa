export * from './acknowledgement';
export * from './body';
export * from './record';
export * from './token';
