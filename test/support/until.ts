export { until } from '../../bench/support/until';
