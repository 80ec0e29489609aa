export { isFilled, isObject } from '../../shared/utils/json';
export { isNamed, readAccepted } from './accepted';
export { pageMarksOf, readQueryList, readQueryRecord } from './answer';
export {
	createdAt,
	echoOf,
	isBare,
	isLean,
	isSurelyBefore,
	namesOfCiec,
	queryIdOf,
	reasonOf,
	stateOf,
	withoutCiec,
	type QueryState,
} from './record';
export { simplifyRecord } from './simplify';
