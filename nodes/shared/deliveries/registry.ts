import type { IDataObject } from 'n8n-workflow';
import type { Result } from './result';

/** Results remembered for each workflow; those handed over longest ago are forgotten first. */
const MAX_RESULTS = 2_000;
/** Workflows remembered in this process; the one asked for longest ago is read from its static data again. */
const MAX_WORKFLOWS = 500;
/**
 * n8n saves static data before it runs an execution, and does not tell when that has ended. So after a start of
 * n8n nobody knows whether what was handed over in the last moments before came through: it is due once more.
 */
const DOUBT_MS = 30_000;
const KEY = 'taxQueryDelivered';
/** Saved in place of a time. */
const IN_DOUBT = 0;

/**
 * The results of one workflow that were handed over to n8n. One instance in the process is asked by all triggers of
 * the workflow, so that only the first gets a result, also among concurrent ones. The workflow's static data is its
 * memory across restarts; n8n loads and saves that whole and without a lock, so every save writes all that is known.
 */
export class Registry {
	/** By deliveryId, when it was handed over: milliseconds since the epoch. In that order. */
	private delivered = new Map<string, number>();
	/** Handed over in vain, or perhaps so. */
	private readonly doubtful = new Set<string>();
	private isLoaded = false;

	/** Whether it was handed over, and nothing speaks against its having come through. */
	has({ deliveryId }: Result): boolean {
		return this.delivered.has(deliveryId);
	}

	/** Whether it is due once more, however old it is. */
	isDoubtful({ deliveryId }: Result): boolean {
		return this.doubtful.has(deliveryId);
	}

	/** Takes a result for one execution. False if another has it. */
	claim(result: Result): boolean {
		if (this.has(result)) return false;
		this.doubtful.delete(result.deliveryId);
		this.delivered.set(result.deliveryId, Date.now());
		this.forgetOldest();
		return true;
	}

	/** Takes a claim back, because no execution was started. */
	release({ deliveryId }: Result): void {
		this.delivered.delete(deliveryId);
		this.doubtful.add(deliveryId);
	}

	/** Learns what another trigger or another process has saved. */
	load(staticData: IDataObject): void {
		const saved = Object.entries((staticData[KEY] ?? {}) as Record<string, number>);
		const newest = Math.max(0, ...saved.map(([, handedOverAt]) => handedOverAt));
		const before = this.delivered.size;
		for (const [deliveryId, handedOverAt] of saved) {
			if (this.delivered.has(deliveryId) || this.doubtful.has(deliveryId)) continue;
			const isLate = !this.isLoaded && handedOverAt >= newest - DOUBT_MS;
			if (isLate || handedOverAt === IN_DOUBT) this.doubtful.add(deliveryId);
			else this.delivered.set(deliveryId, handedOverAt);
		}
		this.isLoaded = true;
		if (this.delivered.size > before) {
			this.delivered = new Map([...this.delivered].sort(([, a], [, b]) => a - b));
			this.forgetOldest();
		}
	}

	save(staticData: IDataObject): void {
		const doubtful = [...this.doubtful].map((deliveryId) => [deliveryId, IN_DOUBT]);
		staticData[KEY] = Object.fromEntries([...doubtful, ...this.delivered]);
	}

	private forgetOldest(): void {
		for (const deliveryId of this.delivered.keys()) {
			if (this.delivered.size <= MAX_RESULTS) break;
			this.delivered.delete(deliveryId);
		}
		for (const deliveryId of this.doubtful) {
			if (this.doubtful.size <= MAX_RESULTS) break;
			this.doubtful.delete(deliveryId);
		}
	}
}

const registries = new Map<string, Registry>();

/** The registry of a workflow, with what the given static data adds to it. */
export function registryOf(workflowId: string, staticData: IDataObject): Registry {
	const registry = registries.get(workflowId) ?? new Registry();
	registries.delete(workflowId);
	registries.set(workflowId, registry);
	if (registries.size > MAX_WORKFLOWS) {
		registries.delete(registries.keys().next().value as string);
	}
	registry.load(staticData);
	return registry;
}
