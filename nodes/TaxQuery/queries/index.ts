export { isObject } from '../../shared/utils/json';
export { readAccepted } from './accepted';
export { pageMarksOf, readQueryList, readQueryRecord } from './answer';
export {
	createdAt,
	echoOf,
	namesOfCiec,
	queryIdOf,
	reasonOf,
	stateOf,
	withoutCiec,
	type QueryState,
} from './record';
export { simplifyRecord } from './simplify';
