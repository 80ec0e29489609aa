import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { registerClockRoutes } from './clock';
import { registerDocumentationRoutes } from './documentation';
import { registerExampleWorkflowRoutes } from './exampleWorkflows';
import { registerFaultRoutes } from './faults';
import { registerFileRoutes } from './files';
import { registerLedgerRoutes } from './ledger';
import { registerOutcomeRoutes } from './outcomes';
import { pageRoutes } from './page';
import { registerDeliverNowRoute } from './deliverNow';
import { registerRequestRoutes } from './requests';
import { registerSnapshotRoute } from './snapshot';
import { registerOverviewRoute } from './overview';
import { registerWebhookRoutes } from './webhook';

/** Every route below `/sandbox`, and the page. */
export function registerControlRoutes(app: FastifyInstance, context: SandboxContext): void {
	registerRequestRoutes(app, context.requests);
	registerFaultRoutes(app, context.faults);
	registerLedgerRoutes(app, context.ledger);
	registerWebhookRoutes(app, context);
	registerDeliverNowRoute(app, context);
	registerOutcomeRoutes(app, context.outcomes);
	registerClockRoutes(app, context.clock);
	registerSnapshotRoute(app, context);
	registerOverviewRoute(app, context);
	registerFileRoutes(app, context.clock);
	registerExampleWorkflowRoutes(app);
	registerDocumentationRoutes(app);
	pageRoutes(app);
}
