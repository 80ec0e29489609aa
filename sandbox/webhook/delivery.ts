import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateMersenne32Randomizer } from '@faker-js/faker';
import axios from 'axios';
import type { QueryRecord } from '../../contract/taxQuery';
import type { Clock } from '../clock';
import type { SandboxSecrets } from '../secrets';
import type { SandboxOptions } from '../options';
import type { ApiTranslator } from '../services/taxQuery/names';
import { HttpError } from '../plugins/errors';
import {
	initialSettings,
	resolveSigning,
	type WebhookChanges,
	type WebhookSettings,
} from './settings';
import { encodeWebhookBody } from './body';
import { proofHeadersOf } from './proof';

const TIMEOUT_MS = 10_000;
const MAX_DELIVERIES = 1_000;

export interface Delivery {
	id: number;
	/** Identifies the message; a duplicate has an equal one. */
	messageId: string;
	queryId: string;
	url?: string;
	/** It may be no plain delivery, by the fault that it met. */
	kind: 'plain' | 'duplicate' | 'tampered' | 'forged';
	/** Unsent: no webhook was registered; it may be sent again when one is. */
	status: 'waiting' | 'delivered' | 'failed' | 'dropped' | 'unsent';
	/** ISO 8601, and the status that the receiver answered or why none came. */
	attempts: Array<{ at: string; answer: number | string }>;
	payload: unknown;
}

/** Delivers results to the registered webhook, with retries and, on demand, with faults. */
export class WebhookSender {
	settings: WebhookSettings;
	private deliveries: Delivery[] = [];
	private heldBack: Array<() => void> = [];
	private nextId = 1;
	/** Ends what is being sent, or waits to be. */
	private sending: AbortController;
	private readonly random = generateMersenne32Randomizer();

	constructor(
		private readonly parts: {
			options: SandboxOptions;
			secrets: SandboxSecrets;
			clock: Clock;
			variant: ApiTranslator;
			closing: AbortSignal;
		},
	) {
		this.settings = this.initialSettings();
		this.sending = new AbortController();
		this.random.seed(parts.options.seed);
		parts.closing.addEventListener('abort', () => this.cancel());
	}

	/** Sends nothing that was begun before. */
	private cancel(): void {
		this.sending.abort();
		this.sending = new AbortController();
		setMaxListeners(0, this.sending.signal); // one for each webhook call
		this.heldBack = [];
	}

	/** Restores the settings of the sandbox's start. */
	initialSettings(): WebhookSettings {
		const { options, secrets } = this.parts;
		const { webhookUrl, webhookSigning } = options;
		return initialSettings(
			webhookUrl,
			resolveSigning({ type: webhookSigning }, secrets.webhookSecret),
		);
	}

	/** The settings with these changes. */
	settingsWith({ signing: choice, ...changes }: WebhookChanges): WebhookSettings {
		const signing = choice
			? resolveSigning(choice, this.parts.secrets.webhookSecret)
			: this.settings.signing;
		return { ...this.settings, ...changes, signing };
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
	deliver(found: QueryRecord, settings = this.settings): void {
		const record = this.parts.variant.record(found);
		const { shape } = settings;
		if (!settings.url) {
			this.add(record, { kind: 'plain', shape }).status = 'unsent';
			return;
		}
		const { drop = 0, duplicate = 0, tamper = 0, forge = 0 } = settings.faults;
		const happens = (likely: number) => likely > 0 && this.random.next() < likely;
		if (happens(drop)) {
			this.add(record, { kind: 'plain', shape }).status = 'dropped';
		} else {
			const kind = happens(tamper) ? 'tampered' : 'plain';
			this.start(this.add(record, { kind, shape }), settings);
		}
		if (happens(duplicate)) {
			const { messageId } = this.deliveries[this.deliveries.length - 1];
			this.start(this.add(record, { kind: 'duplicate', shape, messageId }), settings);
		}
		if (happens(forge)) {
			const forged = { ...record, response: { RFC: 'XAXX010101000' } };
			this.start(this.add(forged, { kind: 'forged', shape }), settings);
		}
	}

	/** Sends a delivery again, as if it had never been sent. Refuses while no webhook is registered. */
	resend(delivery: Delivery): void {
		this.needUrl();
		delivery.status = 'waiting';
		void this.send(delivery, this.settings);
	}

	/** Throws an HttpError while no webhook is registered. */
	needUrl({ url } = this.settings): void {
		if (url) return;
		throw new HttpError(409, 'No webhook is registered; do so by PUT /sandbox/webhook');
	}

	private add(
		record: QueryRecord,
		{
			kind,
			shape,
			messageId = `msg_${this.parts.options.seed}_${this.nextId}`,
		}: Pick<Delivery, 'kind'> & Pick<WebhookSettings, 'shape'> & { messageId?: string },
	): Delivery {
		const { _id: queryId, status } = record;
		const named = this.parts.variant.inWrapper(record);
		const payload = {
			record: named,
			envelope: { event: 'query.finished', data: named },
			id: { queryId, status },
		}[shape];
		const delivery: Delivery = {
			id: this.nextId++,
			messageId,
			queryId,
			kind,
			status: 'waiting',
			attempts: [],
			payload,
		};
		this.deliveries.push(delivery);
		if (this.deliveries.length > MAX_DELIVERIES) this.deliveries.shift();
		return delivery;
	}

	private start(delivery: Delivery, settings: WebhookSettings): void {
		const { reorder = 0 } = settings.faults;
		if (reorder > 0 && this.random.next() < reorder && this.heldBack.length === 0) {
			this.heldBack.push(() => void this.send(delivery, settings));
			void this.release(TIMEOUT_MS);
			return;
		}
		void this.send(delivery, settings).then(() => this.release(0));
	}

	/** Releases delayed deliveries after at most `ms` milliseconds. */
	private async release(ms: number): Promise<void> {
		if (ms > 0 && !(await this.pause(ms, this.sending.signal))) return;
		for (const send of this.heldBack.splice(0)) send();
	}

	/** Resolves with true if sending goes on after `ms` milliseconds. */
	private async pause(ms: number, signal: AbortSignal): Promise<boolean> {
		return await sleep(ms, true, { signal }).catch(() => false);
	}

	private async send(delivery: Delivery, settings: WebhookSettings): Promise<void> {
		const { url, signing, attempts, backoff, faults } = settings;
		delivery.url = url;
		const { signal } = this.sending;
		if (faults.delay && !(await this.pause(faults.delay, signal))) return;
		for (let attempt = 0; attempt < attempts; attempt++) {
			if (attempt > 0 && !(await this.pause(backoff * 2 ** (attempt - 1), signal))) return;
			const json = JSON.stringify(delivery.payload);
			const at = this.parts.clock.now();
			const body = encodeWebhookBody(json, settings);
			const proof = proofHeadersOf(delivery.kind === 'forged' ? { type: 'none' } : signing, {
				body: body.bytes,
				id: delivery.messageId,
				sentAt: at,
			});
			const isTampered = delivery.kind === 'tampered';
			const sent = isTampered ? encodeWebhookBody(this.tampered(json), settings) : body;
			const answer = await axios
				.post<unknown>(url, sent.bytes, {
					headers: { ...sent.headers, ...proof },
					timeout: TIMEOUT_MS,
					signal,
					validateStatus: () => true,
					transformRequest: (data: unknown) => data, // the very bytes that were signed
				})
				.then(
					({ status }) => status,
					(error: { code?: string; message: string }) => error.code ?? error.message,
				);
			if (signal.aborted) return;
			delivery.attempts.push({ at: new Date(at).toISOString(), answer });
			if (typeof answer === 'number' && answer >= 200 && answer < 300) {
				delivery.status = 'delivered';
				return;
			}
		}
		delivery.status = 'failed';
	}

	/** The body with the opposite outcome. */
	private tampered(body: string): string {
		const [success, failed] = ['SUCCESS', 'FAILED'].map((status) =>
			JSON.stringify(this.parts.variant.status(status)),
		);
		const [from, to] = body.includes(`"status":${success}`) ? [success, failed] : [failed, success];
		return body.replace(`"status":${from}`, `"status":${to}`);
	}

	save(): SavedWebhooks {
		return { settings: this.settings, deliveries: this.deliveries, nextId: this.nextId };
	}

	load({ settings, deliveries, nextId }: SavedWebhooks): void {
		this.cancel();
		this.settings = { ...this.initialSettings(), ...settings };
		// What was on its way is not taken up again; it may be sent once more by hand.
		this.deliveries = deliveries.map((one) =>
			one.status === 'waiting' ? { ...one, status: 'unsent' } : one,
		);
		this.nextId = nextId;
	}
}

interface SavedWebhooks {
	settings: WebhookSettings;
	deliveries: Delivery[];
	nextId: number;
}
