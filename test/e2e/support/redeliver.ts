import { until } from '../../support/until';

const PAUSE_MS = 500;

/** Delivers as a service does: again, as long as the trigger responds with 503. Returns the status that ended it. */
export async function redeliverWhile503(deliver: () => Promise<number>): Promise<number> {
	return await until(
		'a webhook call that is not to come again',
		async () => {
			const status = await deliver();
			return status !== 503 && status;
		},
		{ pauseMs: PAUSE_MS },
	);
}
