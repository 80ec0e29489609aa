import { sandboxQueryClient } from '../../bench/support/sandboxQueryClient';
import type { SandboxOptions } from '../../sandbox';
import { startSandboxWithHelpers } from './sandbox';

export { sandboxQueryClient, type Query } from '../../bench/support/sandboxQueryClient';

/** A sandbox in which a test makes queries. */
export async function startSandboxWithQueryHelpers(options: Partial<SandboxOptions> = {}) {
	const sandbox = await startSandboxWithHelpers({ rateLimit: 0, resultDelay: 0, ...options });
	return { ...sandbox, ...(await sandboxQueryClient(sandbox)) };
}

export type SandboxWithQueryHelpers = Awaited<ReturnType<typeof startSandboxWithQueryHelpers>>;
