import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { SandboxContext } from './context';

/** The parts of a sandbox that change while it runs, in the order in which they are restored. */
const PARTS = [
	'clock',
	'people',
	'providerLogins',
	'outcomes',
	'profiles',
	'ledger',
	'webhooks',
	'queries',
	'faults',
] as const;

type SavedState = Record<(typeof PARTS)[number], unknown>;
type Part = { save(): unknown; load(saved: unknown): void };

/** Everything that has changed since the sandbox was started, as JSON. */
export function snapshotState(context: SandboxContext): SavedState {
	return structuredClone(
		Object.fromEntries(PARTS.map((name) => [name, context[name].save()])),
	) as SavedState;
}

/** Puts a saved state in place of the present one. Throws an Error that names what is missing in it. */
export function restoreStateFromSnapshot(context: SandboxContext, saved: unknown): void {
	const state = (saved ?? {}) as Partial<SavedState>;
	const missing = PARTS.filter((name) => state[name] === undefined);
	if (missing.length > 0) throw new Error(`No saved state: without ${missing.join(', ')}`);
	const own = structuredClone(state);
	for (const name of PARTS) (context[name] as Part).load(own[name]);
}

/** Takes up the state in the file of `--state`, if there is one. Throws an Error that names the file. */
export function restoreStateFile(context: SandboxContext): void {
	const { state: path } = context.options;
	if (!path || !existsSync(path)) return;
	try {
		restoreStateFromSnapshot(context, JSON.parse(readFileSync(path, 'utf8')));
	} catch (error) {
		throw new Error(`${path} is no state of a sandbox: ${(error as Error).message}`);
	}
}

/** Leaves the state in the file of `--state`, for the next start. */
export function saveStateFile(context: SandboxContext): void {
	const { state: path } = context.options;
	if (path) writeFileSync(path, JSON.stringify(snapshotState(context)), { mode: 0o600 });
}
