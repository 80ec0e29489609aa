export * from './credential';
