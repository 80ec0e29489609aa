import { sleep, type IWebhookFunctions } from 'n8n-workflow';
import { msLeft } from '../../shared/utils/time';
import { watcherOf, type ResultWatcher } from '../deliveries/watcher';

/** Within which n8n has started its triggers. */
const START_MS = 60_000;
/** So long a sender waits in vain where no trigger comes: in a webhook processor. */
const PATIENCE_MS = 5_000;
const SLICE_MS = 100;
const loadedAt = Date.now();

/**
 * The published trigger; undefined if this process has none. n8n takes deliveries before it starts its triggers: soon
 * after its start, one waits for the trigger, which knows what was started before.
 */
export async function watcherSoon(context: IWebhookFunctions): Promise<ResultWatcher | undefined> {
	const since = Date.now();
	const isSoon = () => msLeft(loadedAt, START_MS) > 0 && msLeft(since, PATIENCE_MS) > 0;
	while (!watcherOf(context) && isSoon()) await sleep(SLICE_MS);
	return watcherOf(context);
}
