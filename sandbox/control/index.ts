import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { clockControl } from './clock';
import { documentationRoutes } from './documentation';
import { exampleWorkflowRoutes } from './exampleWorkflows';
import { faultControl } from './faults';
import { fileRoutes } from './files';
import { ledgerControl } from './ledger';
import { outcomeControl } from './outcomes';
import { pageRoutes } from './page';
import { deliverNowControl } from './deliverNow';
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
	deliverNowControl(app, context);
	outcomeControl(app, context.outcomes);
	clockControl(app, context.clock);
	snapshotControl(app, context);
	overviewControl(app, context);
	fileRoutes(app, context.clock);
	exampleWorkflowRoutes(app);
	documentationRoutes(app);
	pageRoutes(app);
}
