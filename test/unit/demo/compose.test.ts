import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { SETTINGS } from '../../../demo/startN8n';
import { createQueueSettingsWithoutStores, PROCESS_COUNTS } from '../../../demo/queueMode';
import { queueStoreSettings } from '../../../demo/queueModeStores';
import * as host from '../../../demo/n8n-host/package.json';

interface Service {
	image: string;
	command?: string;
	environment?: Record<string, string>;
	deploy?: { replicas: number };
	profiles: string[];
	volumes?: string[];
}

const file = join(__dirname, '..', '..', '..', 'demo', 'compose.yaml');
const { services } = parse(readFileSync(file, 'utf8'), { merge: true }) as {
	services: Record<string, Service>;
};
const { n8n, main, worker, webhook, sandbox } = services;

/** Defines where it is, and with which key it encrypts, is each one's own. */
const OWN = /_(HOST|PORT|KEY)$/;
const shared = (settings: Record<string, string>) =>
	Object.entries(settings).filter(([name]) => !OWN.test(name));

describe('demo/compose.yaml', () => {
	it.each(['main', 'worker', 'webhook'])(
		'gives %s every setting that `npm run demo -- --queue` gives it',
		(name) => {
			const wanted = { ...createQueueSettingsWithoutStores(), ...queueStoreSettings(0, 0) };
			const environment = services[name].environment ?? {};
			expect(Object.keys(environment)).toEqual(expect.arrayContaining(Object.keys(wanted)));
			expect(environment).toMatchObject(Object.fromEntries(shared(wanted)));
		},
	);

	it.each(Object.keys(services))('gives %s no setting with another value than the demo', (name) => {
		const demo: Record<string, string> = {
			...SETTINGS,
			...createQueueSettingsWithoutStores(),
			...queueStoreSettings(0, 0),
		};
		const environment = shared(services[name].environment ?? {});
		const differing = environment.filter(([key, value]) => key in demo && demo[key] !== value);
		expect(differing).toEqual([]);
	});

	it('runs as many processes', () => {
		expect({ workers: worker.deploy?.replicas, webhookProcessors: 1 }).toEqual(PROCESS_COUNTS);
		expect([worker.command, webhook.command]).toEqual(['worker', 'webhook']);
	});

	it('runs the n8n that the demo pins, with the package in every process', () => {
		for (const { image, volumes } of [n8n, main, worker, webhook]) {
			expect(image).toBe(`n8nio/n8n:${host.dependencies.n8n}`);
			expect(volumes).toContain('nodes:/home/node/.n8n/nodes');
		}
	});

	it('starts the sandbox where others reach it', () => {
		expect(sandbox.command).toContain('credit-profile-sandbox --host 0.0.0.0 --port 4010');
	});

	it('has each service in a profile', () => {
		const profiles = Object.values(services).flatMap((service) => service.profiles);
		expect(new Set(profiles)).toEqual(new Set(['single', 'queue']));
	});
});
