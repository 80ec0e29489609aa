export {
	echoOf,
	isObject,
	queryIdOf,
	readQueryList,
	readQueryRecord,
	stateOf,
	totalOf,
} from './read';
export { simplifyRecord } from './simplify';
