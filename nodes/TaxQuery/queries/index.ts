export { isFilled, isObject } from '../../shared/utils/json';
export { isNamed, ownOf, readAccepted } from './accepted';
export { pageMarksOf, readQueryList, readQueryRecord } from './answer';
export {
	createdAt,
	echoOf,
	ID_NAME,
	isBare,
	isLean,
	isMaybeSince,
	isSurelyBefore,
	namesOfCiec,
	queryIdOf,
	reasonOf,
	stateOf,
	withoutCiec,
	type QueryState,
} from './record';
export { besideResult, simplifyRecord } from './simplify';
