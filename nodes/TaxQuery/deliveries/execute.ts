import { UserError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { connect } from '../../shared/transport/request';
import { taxQuery } from '../../shared/transport/service';
import { save } from '../../shared/operations/nodeState';
import { sentences } from '../../shared/utils/sentences';
import { listQueries } from '../queries/client';
import { completeRecord } from '../queries/rows';
import { tellBeginning, turnOf } from './emitter';
import { filterOf, leftOutBy } from './filter';
import { byAge, itemMaker, resultOf } from './result';
import { readSettings } from './settings';
import { ENDED, KEY } from './memory/node';
import { watcherOf, watchersIn } from './watcher';

/**
 * What n8n runs when an execution reaches the trigger: passes on what started it. In the editor without a delivery,
 * which is so with Asking Only: fetches the latest result.
 */
export async function passOn(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const deliveryId = items[0]?.json.deliveryId;
	if (typeof deliveryId !== 'string') return [[await latestResult(context)]];
	if (context.getMode() !== 'manual') await noteExecution(context, deliveryId);
	return [items];
}

/**
 * Tells that an execution has begun. What the process knows is put into the execution's static data, which n8n saves at
 * its end, so that a restart knows that this one has ended; whole, so what other triggers of the workflow know, too.
 */
async function noteExecution(context: IExecuteFunctions, deliveryId: string): Promise<void> {
	tellBeginning(context, deliveryId);
	const watcher = watcherOf(context);
	if (!watcher || watcher.settings.options.afterCrash === 'leave') return;
	await turnOf(context, deliveryId);
	for (const { context: trigger, cursor } of watchersIn(context.getWorkflow().id))
		save(context, KEY, cursor.saved, trigger.getNode().id);
	save(context, ENDED, deliveryId);
}

async function latestResult(context: IExecuteFunctions): Promise<INodeExecutionData> {
	const settings = readSettings({
		getNodeParameter: (name: string, fallback: unknown) =>
			context.getNodeParameter(name, 0, fallback),
	});
	const connection = await connect(context, taxQuery);
	const { mapping } = connection;
	const suits = filterOf(settings, mapping);
	const toItem = itemMaker(settings, connection);
	const { records } = await listQueries(connection);
	const latest = records
		.map((record) => resultOf(record, mapping))
		.filter(suits)
		.sort(byAge)
		.at(-1);
	if (!latest) {
		throw new UserError('There is no result yet that this trigger would emit', {
			description: sentences(
				'Run a query first, or choose other queries and statuses',
				leftOutBy(settings, mapping, records),
			),
		});
	}
	const result = resultOf(await completeRecord(connection, latest.record), mapping);
	return toItem(result, { confirmed: true });
}
