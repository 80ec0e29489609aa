export * from './creditProfile';
export * from './taxQuery';
