import { UserError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';
import { connect } from '../../shared/transport/request';
import { taxQuery } from '../../shared/transport/service';
import { sentences } from '../../shared/utils/sentences';
import { completeRecord, listQueries } from '../queries/client';
import { filterOf, leftOutBy } from './filter';
import { byAge, itemMaker, resultOf } from './result';
import { readSettings } from './settings';
import { noteExecution } from './watcher';

/**
 * What n8n runs when an execution reaches the trigger: passes on what started it. In the editor without a delivery,
 * which is so with Asking Only: fetches the latest result.
 */
export async function passOn(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const deliveryId = items[0]?.json.deliveryId;
	if (typeof deliveryId !== 'string') return [[await latestResult(context)]];
	if (context.getMode() !== 'manual') noteExecution(context, deliveryId);
	return [items];
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
