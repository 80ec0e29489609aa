/** The wire formats of both services, each schema with the section that shows it. */
export * from './creditProfile';
export * from './shared';
export * from './taxQuery';
