import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { canSaveFailure } from '../../shared/host/trigger';
import { getProcessState } from '../../shared/processState';
import { sleepUntil } from '../../shared/utils/sleep';
import { nodeKey } from './emitter';
import { forgetReportedOutage, toTriggerError, reportOutageHourly } from './errorReporting';
import { triggerMemoryOf } from './memory';
import { readSettings } from './settings';
import { PollingSession, RETRY_MS } from './pollingSession';

/** The workflows that n8n has tried to publish, by their static data, with the nodes that failed. */
const newFailures = () => new WeakMap<object, Set<string>>();

/** n8n hands it to all triggers of a workflow that it publishes together, also when it tries that again. */
const publicationOf = (context: ITriggerFunctions): object =>
	context.getWorkflowStaticData('global');

/**
 * Opens a trigger until it is unpublished. A reason that prevents polls is reported as a failed execution, at once
 * and then hourly. The first attempt to publish throws as well, so that n8n can refuse it. n8n 2.41 publishes
 * nevertheless. There, as after a start of n8n, the trigger stays open and retries until it can poll.
 */
export async function openTrigger(context: ITriggerFunctions): Promise<ITriggerResponse> {
	if (context.getMode() === 'manual') return {}; // the editor's test goes by webhook() or execute()
	const mustSucceed = isFirstAttempt(context);
	const memory = triggerMemoryOf(context);
	if (mustSucceed) {
		memory.endWaiting(true);
		forgetReportedOutage(context); // whoever publishes anew learns what is wrong now
	}
	const publishedAt = Date.now();
	try {
		const session = await open(context, mustSucceed);
		return { closeFunction: async () => session.close() };
	} catch (error) {
		if (!canSaveFailure(context)) throw toTriggerError(context, error);
		memory.noteWaiting(publishedAt);
		reportOutageHourly(context, error);
		if (mustSucceed) {
			noteFailure(context);
			throw toTriggerError(context, error);
		}
		return tryOn(context);
	}
}

/** n8n may then refuse to publish. It does not start, and has not tried this publication before. */
const isFirstAttempt = (context: ITriggerFunctions): boolean =>
	!['init', 'leadershipChange'].includes(context.getActivationMode()) &&
	!getProcessState().shared(newFailures).get(publicationOf(context))?.has(nodeKey(context));

function noteFailure(context: ITriggerFunctions): void {
	const failed = getProcessState().shared(newFailures);
	const nodes = failed.get(publicationOf(context)) ?? new Set();
	failed.set(publicationOf(context), nodes.add(nodeKey(context)));
}

async function open(context: ITriggerFunctions, mustSucceed: boolean): Promise<PollingSession> {
	const session = new PollingSession(context, readSettings(context));
	await session.open(mustSucceed).catch((error: unknown) => {
		session.close();
		throw error;
	});
	return session;
}

/** Tries each minute to open a trigger that could not be opened, until it is unpublished. */
function tryOn(context: ITriggerFunctions): ITriggerResponse {
	let isClosed = false;
	let session: PollingSession | undefined;
	const keepTrying = async () => {
		while (!isClosed && !session) {
			await sleepUntil(Date.now(), RETRY_MS, () => isClosed);
			if (isClosed) return;
			session = await open(context, false).catch((error: unknown) => {
				if (!isClosed) reportOutageHourly(context, error);
				return undefined;
			});
			if (isClosed) session?.close();
		}
	};
	void keepTrying();
	return {
		closeFunction: async () => {
			isClosed = true;
			session?.close();
		},
	};
}
