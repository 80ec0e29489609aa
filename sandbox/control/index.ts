import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { clockControl } from './clock';
import { documentationRoutes } from './documentation';
import { exampleRoutes } from './examples';
import { faultControl } from './faults';
import { fileRoutes } from './files';
import { ledgerControl } from './ledger';
import { outcomeControl } from './outcomes';
import { page } from './page';
import { queryControl } from './deliveries';
import { requestControl } from './requests';
import { snapshotControl } from './snapshot';
import { overviewControl } from './overview';
import { webhookControl } from './webhook';

/** Every route below `/sandbox`, and the page. */
export function controlRoutes(app: FastifyInstance, context: SandboxContext): void {
	requestControl(app, context.requests);
	faultControl(app, context.faults);
	ledgerControl(app, context.ledger);
	webhookControl(app, context);
	queryControl(app, context);
	outcomeControl(app, context.outcomes);
	clockControl(app, context.clock);
	snapshotControl(app, context);
	overviewControl(app, context);
	fileRoutes(app, context.clock);
	exampleRoutes(app);
	documentationRoutes(app);
	page(app);
}
