import { setTimeout as sleep } from 'node:timers/promises';
import { generateMersenne32Randomizer } from '@faker-js/faker';
import type { Static } from '@sinclair/typebox';
import axios from 'axios';
import type { FastifyInstance } from 'fastify';
import type { QueryRecord } from '../../contract/taxQuery';
import type { SandboxContext } from '../context';
import { Refusal } from '../errors';
import { initialSettings, shown, signingOf, WebhookSettings } from './config';
import { proofOf } from './sign';

const TIMEOUT_MS = 10_000;
const KEPT = 1_000;

export interface Delivery {
	id: number;
	queryId: string;
	/** What it is beside a plain delivery: the fault that it met. */
	kind: 'plain' | 'duplicate' | 'tampered' | 'forged';
	/** Unsent: no webhook was registered; it may be sent again when one is. */
	status: 'waiting' | 'delivered' | 'failed' | 'dropped' | 'unsent';
	/** ISO 8601, and the status that the receiver answered or why none came. */
	attempts: Array<{ at: string; answer: number | string }>;
	payload: unknown;
}

/** Delivers results to the registered webhook, with retries and, if asked for, with faults. */
export class Webhooks {
	settings: WebhookSettings;
	private deliveries: Delivery[] = [];
	private heldBack: Array<() => void> = [];
	private nextId = 1;
	private readonly random = generateMersenne32Randomizer();

	constructor(private readonly context: Pick<SandboxContext, 'options' | 'closing'>) {
		this.settings = initialSettings(context.options.webhookUrl);
		this.random.seed(context.options.seed);
	}

	/** Newest first. */
	list(): Delivery[] {
		return [...this.deliveries].reverse();
	}

	find(id: number): Delivery | undefined {
		return this.deliveries.find((delivery) => delivery.id === id);
	}

	clear(): void {
		this.deliveries = [];
	}

	/** Delivers the record of a finished query; while no webhook is registered, only lists it. */
	deliver(record: QueryRecord): void {
		if (!this.settings.url) {
			this.add(record, 'plain').status = 'unsent';
			return;
		}
		const { drop = 0, duplicate = 0, tamper = 0, forge = 0 } = this.settings.faults;
		const happens = (likely: number) => likely > 0 && this.random.next() < likely;
		if (happens(drop)) {
			this.add(record, 'plain').status = 'dropped';
		} else {
			this.start(this.add(record, happens(tamper) ? 'tampered' : 'plain'));
		}
		if (happens(duplicate)) this.start(this.add(record, 'duplicate'));
		if (happens(forge)) {
			this.start(this.add({ ...record, response: { RFC: 'XAXX010101000' } }, 'forged'));
		}
	}

	/** Sends a delivery again, as if it had never been sent. Refuses while no webhook is registered. */
	resend(delivery: Delivery): void {
		if (!this.settings.url) {
			throw new Refusal(409, 'No webhook is registered; do so by PUT /sandbox/webhook');
		}
		delivery.status = 'waiting';
		void this.send(delivery);
	}

	private add(record: QueryRecord, kind: Delivery['kind']): Delivery {
		const { _id: queryId, status } = record;
		const payload = {
			record,
			envelope: { event: 'query.finished', data: record },
			id: { queryId, status },
		}[this.settings.shape];
		const delivery: Delivery = {
			id: this.nextId++,
			queryId,
			kind,
			status: 'waiting',
			attempts: [],
			payload,
		};
		this.deliveries.push(delivery);
		if (this.deliveries.length > KEPT) this.deliveries.shift();
		return delivery;
	}

	private start(delivery: Delivery): void {
		const { reorder = 0 } = this.settings.faults;
		if (reorder > 0 && this.random.next() < reorder && this.heldBack.length === 0) {
			this.heldBack.push(() => void this.send(delivery));
			void this.release(TIMEOUT_MS);
			return;
		}
		void this.send(delivery).then(() => this.release(0));
	}

	/** Lets go of what was held back, at the latest after so many milliseconds. */
	private async release(ms: number): Promise<void> {
		if (ms > 0 && !(await this.pause(ms))) return;
		for (const send of this.heldBack.splice(0)) send();
	}

	/** Whether the sandbox still runs after so many milliseconds. */
	private async pause(ms: number): Promise<boolean> {
		return await sleep(ms, true, { signal: this.context.closing }).catch(() => false);
	}

	private async send(delivery: Delivery): Promise<void> {
		const { url, signing, attempts, backoff, faults } = this.settings;
		const { closing } = this.context;
		if (faults.delay && !(await this.pause(faults.delay))) return;
		for (let attempt = 0; attempt < attempts; attempt++) {
			if (attempt > 0 && !(await this.pause(backoff * 2 ** (attempt - 1)))) return;
			const body = JSON.stringify(delivery.payload);
			const at = new Date();
			const proof = proofOf(
				delivery.kind === 'forged' ? { type: 'none' } : signing,
				body,
				Math.floor(at.getTime() / 1000),
			);
			const answer = await axios
				.post<unknown>(url, delivery.kind === 'tampered' ? tampered(body) : body, {
					headers: { 'Content-Type': 'application/json', ...proof },
					timeout: TIMEOUT_MS,
					signal: closing,
					validateStatus: () => true,
					transformRequest: (data: unknown) => data, // the very bytes that were signed
				})
				.then(
					({ status }) => status,
					(error: { code?: string; message: string }) => error.code ?? error.message,
				);
			if (closing.aborted) return;
			delivery.attempts.push({ at: at.toISOString(), answer });
			if (typeof answer === 'number' && answer >= 200 && answer < 300) {
				delivery.status = 'delivered';
				return;
			}
		}
		delivery.status = 'failed';
	}
}

/** The body with the opposite outcome. */
const tampered = (body: string): string =>
	body.replace(/"status":"(SUCCESS|FAILED)"/, (_field, status) =>
		status === 'SUCCESS' ? '"status":"FAILED"' : '"status":"SUCCESS"',
	);

/** `/sandbox/webhook` (GET, PUT changes what it names, DELETE) and `/sandbox/deliveries` (GET, DELETE, resend). */
export function webhookControl(app: FastifyInstance, context: SandboxContext): void {
	const { options, secrets, webhooks } = context;
	app.get('/sandbox/webhook', async () => shown(webhooks.settings));
	app.put<{ Body: Static<typeof WebhookSettings> }>(
		'/sandbox/webhook',
		{ schema: { body: WebhookSettings } },
		async ({ body: { signing: choice, ...changes } }) => {
			const signing = choice ? signingOf(choice, secrets.webhookSecret) : webhooks.settings.signing;
			webhooks.settings = { ...webhooks.settings, ...changes, signing };
			return shown(webhooks.settings);
		},
	);
	app.delete('/sandbox/webhook', async () => {
		webhooks.settings = initialSettings(options.webhookUrl);
		return shown(webhooks.settings);
	});
	app.get('/sandbox/deliveries', async () => webhooks.list());
	app.delete('/sandbox/deliveries', async () => {
		webhooks.clear();
		return webhooks.list();
	});
	app.post<{ Params: { id: string } }>(
		'/sandbox/deliveries/:id/resend',
		async ({ params: { id } }) => {
			const delivery = webhooks.find(Number(id));
			if (!delivery) throw new Refusal(404, `There is no delivery ${id}`);
			webhooks.resend(delivery);
			return delivery;
		},
	);
}
