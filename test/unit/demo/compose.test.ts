import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { SETTINGS } from '../../../demo/startN8n';
import * as host from '../../../demo/n8n-host/package.json';

interface Service {
	image: string;
	command?: string;
	environment?: Record<string, string>;
	volumes?: string[];
}

const file = join(__dirname, '..', '..', '..', 'demo', 'compose.yaml');
const { services } = parse(readFileSync(file, 'utf8')) as { services: Record<string, Service> };
const { n8n, sandbox } = services;

describe('demo/compose.yaml', () => {
	it('gives n8n no setting with another value than the demo', () => {
		const demo: Record<string, string> = SETTINGS;
		const differing = Object.entries(n8n.environment ?? {}).filter(
			([key, value]) => key in demo && demo[key] !== value,
		);
		expect(differing).toEqual([]);
	});

	it('runs the n8n that the demo pins, with the package', () => {
		expect(n8n.image).toBe(`n8nio/n8n:${host.dependencies.n8n}`);
		expect(n8n.volumes).toContain('nodes:/home/node/.n8n/nodes');
	});

	it('starts the sandbox where others reach it', () => {
		expect(sandbox.command).toContain('credit-profile-sandbox --host 0.0.0.0 --port 4010');
	});
});
