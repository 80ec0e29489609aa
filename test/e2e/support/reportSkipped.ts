import { missingStoresText } from '../../../demo/queueModeStores';
import { findChromium } from './chromium';

/** After the last test: says in one line which tests this machine could not run. */
export default (): void => {
	const missing = [
		...(findChromium() ? [] : ['those in a browser (npx playwright-core install chromium)']),
		...(missingStoresText() ? ['those in queue mode (Redis and PostgreSQL)'] : []),
	];
	if (missing.length > 0) process.stderr.write(`\nSkipped tests: ${missing.join(', ')}\n`);
};
