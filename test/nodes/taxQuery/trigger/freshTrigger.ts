import { startSandboxWithQueryHelpers } from '../../../support/sandboxQueryClient';
import { proxyToCurrent, freshSandboxForEachTest } from '../../../support/sharedSandbox';
import { ListService } from './listService';
import { TriggerHost, type TriggerHostOptions } from './triggerHost';

/** The trigger that a test starts; stopped after it. */
function triggerAt(service: { credentials(): TriggerHostOptions['credentials'] }) {
	let host: TriggerHost | undefined;
	afterEach(async () => {
		await host?.stop();
		host = undefined;
	});
	return {
		host: proxyToCurrent(() => host as TriggerHost),
		start: async (options: Partial<TriggerHostOptions> = {}) =>
			(host = await TriggerHost.start({ credentials: service.credentials(), ...options })),
	};
}

/** For each test a sandbox, and the trigger that it starts there. */
export function freshTriggerAndSandboxForEachTest() {
	const trigger = triggerAt({ credentials: () => sandbox.credentials() });
	const sandbox = freshSandboxForEachTest(startSandboxWithQueryHelpers);
	return { ...trigger, sandbox };
}

/** For each test a service that lists what the test wants of it, and the trigger that it starts there. */
export function triggerOnListServiceForEachTest() {
	let service: ListService;
	const trigger = triggerAt({ credentials: () => service.credentials() });
	beforeEach(async () => (service = await ListService.start()));
	afterEach(async () => await service.stop());
	return { ...trigger, service: proxyToCurrent(() => service) };
}

/** Webhook verification by a secret header, and what proves a call by it. */
export const secretHeaderFieldsAndProof = (secret: string) => ({
	verification: {
		webhookVerification: 'header',
		webhookSecret: secret,
		webhookHeaderName: 'X-Secret',
	},
	proof: { 'X-Secret': secret },
});

/** A poll fails at once while the service demands a pause; its sender still waits. */
export const serviceUnavailableFault = { status: 503, headers: { 'retry-after': '120' } };
