import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { createServiceConnection } from '../../shared/http/connection';
import { taxQuery } from '../../shared/http/services';
import { setNodeStaticValue } from '../../shared/operations/staticData';
import { joinSentences } from '../../shared/utils/joinSentences';
import { listAllQueries, fetchRecordIfIncomplete } from '../client/queryList';
import { findRunningExecution, SAVE_ONLY_FIELD, touchRunningExecutions } from './emitter';
import { describeRecordsExcludedAsUnknown } from '../errors/unknownRecords';
import { dispositionOf } from './disposition';
import { LEDGER_STATIC_DATA_KEY } from './memory';
import { toTriggerError } from './errorReporting';
import { toResult, type TriggerResult } from './result';
import { itemMaker } from './item';
import { readSettings } from './settings';
import { sessionsOfWorkflow } from './pollingSession';
import { CodedError } from '../../shared/utils/codedError';

/**
 * Passes on what started the execution. In the editor without a webhook call, which is so with Checks Only, it
 * fetches the latest success, because its columns are to be dragged; or else the latest of what the trigger would emit.
 */
export async function executeTrigger(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	if (items[0]?.json[SAVE_ONLY_FIELD]) return [[]];
	const deliveryId = items[0]?.json.deliveryId;
	if (typeof deliveryId !== 'string') {
		const latest = await latestResult(context).catch((error: unknown) => {
			throw toTriggerError(context, error);
		});
		return [[latest]];
	}
	if (context.getMode() !== 'manual') noteExecution(context, deliveryId);
	return [items];
}

/**
 * Reports that an execution has begun, and puts the ledger into its static data. n8n saves those when its last node has
 * ended, before it deletes an execution that is not to be kept: so n8n or the ledger knows what has started. They are
 * saved whole, so they hold the ledgers of the workflow's other triggers, too.
 */
function noteExecution(context: IExecuteFunctions, deliveryId: string): void {
	const execution = findRunningExecution(context, deliveryId);
	if (!execution) return;
	execution.begin();
	const { id } = context.getWorkflow();
	execution.touch = () => {
		for (const { context: trigger, ledger } of sessionsOfWorkflow(id))
			setNodeStaticValue(context, LEDGER_STATIC_DATA_KEY, ledger.saved, trigger.getNode().id);
	};
	touchRunningExecutions();
}

async function latestResult(context: IExecuteFunctions): Promise<INodeExecutionData> {
	const settings = readSettings({
		getNodeParameter: (name: string, fallback: unknown) =>
			context.getNodeParameter(name, 0, fallback),
	});
	const connection = await createServiceConnection(context, taxQuery);
	const { mapping } = connection;
	const toItem = itemMaker(settings, connection);
	const { records } = await listAllQueries(connection);
	const [latest] = records
		.map(toResult)
		.filter((result) => dispositionOf(result, settings.choice) === 'emit')
		.sort((a, b) => rankOf(a) - rankOf(b) || latestFirst(a, b));
	if (!latest) {
		throw new CodedError('noResultYet', 'There is no result yet that this trigger would emit', {
			description: joinSentences(
				'Run a query first, or choose other queries and statuses',
				describeRecordsExcludedAsUnknown(records, settings.choice, mapping),
			),
		});
	}
	return toItem(toResult(await fetchRecordIfIncomplete(connection, latest.record)), {
		confirmed: true,
	});
}

const rankOf = ({ record }: TriggerResult) => (record.state === 'success' ? 0 : 1);
const latestFirst = (a: TriggerResult, b: TriggerResult) =>
	(b.createdAt ?? -Infinity) - (a.createdAt ?? -Infinity) || 0;
