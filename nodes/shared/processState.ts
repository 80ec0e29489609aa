/** A value that a scope holds. */
type Value = object & {
	/** The number of entries that the value holds, where it may grow. */
	readonly size?: number;
	/** Somebody works with it now, so it must not be forgotten. */
	readonly isInUse?: boolean;
};

/** The state of one client, one node, one execution, or the process. */
export class ScopeState {
	readonly #values = new Map<unknown, Value>();
	#users = 0;

	/** `knowsSince`: what happened before this moment of the monotonic clock may have been forgotten. */
	constructor(readonly knowsSince = -Infinity) {}

	/** The first caller makes the value; `make` is its key, and types it. */
	shared<T extends Value>(make: (scope: ScopeState) => T): T {
		if (!this.#values.has(make)) this.#values.set(make, make(this));
		return this.#values.get(make) as T;
	}

	/** Keeps the scope from being forgotten until `leave` is called. */
	enter(): void {
		this.#users++;
	}

	leave(): void {
		this.#users--;
	}

	get isInUse(): boolean {
		return this.#users > 0 || [...this.#values.values()].some(({ isInUse }) => isInUse);
	}

	get size(): number {
		return [...this.#values.values()].reduce((sum, { size = 0 }) => sum + size, 1);
	}
}

/** Idle scopes of one kind keep at most this many entries in memory. */
const MAX_IDLE_SIZE = 100_000;
const MAX_IDLE = 2_000;

/**
 * The scopes of one kind. When they are too many, unused ones are forgotten, the one used longest ago first. n8n's
 * journal and the service's list have what matters, too.
 */
class Scopes {
	readonly #byName = new Map<string, ScopeState>();
	#hasForgotten = false;

	of(name: string): ScopeState {
		const known = this.#byName.get(name);
		const scope = known ?? new ScopeState(this.#hasForgotten ? performance.now() : undefined);
		this.#byName.delete(name);
		this.#byName.set(name, scope);
		if (!known) this.trim();
		return scope;
	}

	/** Forgets unused scopes that are too many. */
	trim(): void {
		const idle = [...this.#byName].filter(([, scope]) => !scope.isInUse);
		let size = idle.reduce((sum, [, scope]) => sum + scope.size, 0);
		let count = idle.length;
		for (const [name, scope] of idle) {
			if (count <= 1 || (count <= MAX_IDLE && size <= MAX_IDLE_SIZE)) return;
			this.#byName.delete(name);
			this.#hasForgotten = true;
			size -= scope.size;
			count--;
		}
	}
}

const newState = () => ({
	startedAt: Date.now(),
	process: new ScopeState(),
	clients: new Scopes(),
	nodes: new Scopes(),
	executions: new Scopes(),
});

/** Everything that this process remembers between two calls of n8n. No other module of nodes/ has state of its own. */
let state = newState();

/** Forgets everything, as a restart of n8n does. What still runs goes on with the state that it has. */
export function resetProcessState(): void {
	state = newState();
}

/** The time is in milliseconds by this machine's clock. */
export const processStartedAt = (): number => state.startedAt;

/** It has executions that run, published triggers, and marks on objects of n8n. */
export const getProcessState = (): ScopeState => state.process;

/** `name` is of a base URL and account. The state has token, pace, clock and queries. */
export const getClientState = (name: string): ScopeState => state.clients.of(name);

/** `name` is of a workflow and a node's ID. */
export const getNodeState = (name: string): ScopeState => state.nodes.of(name);

/** `root` is the ID of the root execution; its sub-executions share the state. */
export const getExecutionState = (root: string): ScopeState => state.executions.of(root);

/** Forgets the executions that nobody needs, where there are too many of them. */
export const trimExecutions = (): void => state.executions.trim();
