import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { registerClockRoutes } from './clock';
import { registerRepositoryDocsRoute } from './repositoryDocs';
import { registerExampleWorkflowRoutes } from './exampleWorkflows';
import { registerFaultRoutes } from './faults';
import { registerFileRoutes } from './files';
import { registerLedgerRoutes } from './ledger';
import { registerOutcomeRoutes } from './outcomes';
import { registerPageRoutes } from './page';
import { registerManualDeliveryRoutes } from './manualDeliveries';
import { registerRequestRoutes } from './requests';
import { registerSnapshotRoutes } from './snapshot';
import { registerOverviewRoute } from './overview';
import { registerWebhookRoutes } from './webhook';

/** Every route below `/sandbox`, and the page. */
export function registerControlRoutes(app: FastifyInstance, context: SandboxContext): void {
	registerRequestRoutes(app, context.requests);
	registerFaultRoutes(app, context.faults);
	registerLedgerRoutes(app, context.ledger);
	registerWebhookRoutes(app, context);
	registerManualDeliveryRoutes(app, context);
	registerOutcomeRoutes(app, context.outcomes);
	registerClockRoutes(app, context.clock);
	registerSnapshotRoutes(app, context);
	registerOverviewRoute(app, context);
	registerFileRoutes(app, context.clock);
	registerExampleWorkflowRoutes(app);
	registerRepositoryDocsRoute(app);
	registerPageRoutes(app);
}
