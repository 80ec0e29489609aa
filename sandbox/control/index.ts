import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../context';
import { registerClockRoutes } from './clockRoutes';
import { registerRepositoryDocsRoute } from './docsRoutes';
import { registerExampleWorkflowRoutes } from './exampleRoutes';
import { registerFaultRoutes } from './faultsRoutes';
import { registerFileRoutes } from './fileRoutes';
import { registerLedgerRoutes } from './ledgerRoutes';
import { registerOutcomeRoutes } from './outcomesRoutes';
import { registerPageRoutes } from './page/pageRoutes';
import { registerManualDeliveryRoutes } from './deliveryRoutes';
import { registerRequestRoutes } from './requestsRoutes';
import { registerSnapshotRoutes } from './snapshotRoutes';
import { registerSandboxStateRoute } from './stateRoute';
import { registerWebhookRoutes } from './webhookRoutes';

export function registerControlRoutes(app: FastifyInstance, context: SandboxContext): void {
	registerRequestRoutes(app, context.requests);
	registerFaultRoutes(app, context.faults);
	registerLedgerRoutes(app, context.ledger);
	registerWebhookRoutes(app, context);
	registerManualDeliveryRoutes(app, context);
	registerOutcomeRoutes(app, context.outcomes);
	registerClockRoutes(app, context.clock);
	registerSnapshotRoutes(app, context);
	registerSandboxStateRoute(app, context);
	registerFileRoutes(app, context.clock);
	registerExampleWorkflowRoutes(app);
	registerRepositoryDocsRoute(app);
	registerPageRoutes(app);
}
