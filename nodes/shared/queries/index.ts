export { readQueryList } from './list';
export { simplifyRecord } from './simplify';
