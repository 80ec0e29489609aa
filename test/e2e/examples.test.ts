import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startDemo, type Demo } from '../../demo/demo';
import { root } from '../../demo/package';

const MINUTES = 60_000;
const examples = readdirSync(join(root, 'examples')).map((file) => file.replace('.json', ''));

describe('the examples in a real n8n', () => {
	let demo: Demo;
	beforeAll(async () => {
		demo = await startDemo();
	}, 5 * MINUTES);
	afterAll(async () => await demo?.stop(), MINUTES);

	const idOf = (example: string) => demo.workflows.get(example)?.id as string;

	it('are all linked from the one to start with', () => {
		const notes = JSON.stringify(demo.workflows.get('start-here')?.nodes);
		const others = examples.filter((example) => example !== 'start-here');
		expect(others.filter((example) => !notes.includes(`/workflow/${idOf(example)}`))).toEqual([]);
	});

	it('link to the page of this sandbox', () => {
		expect(JSON.stringify(demo.workflows.get('start-here')?.nodes)).toContain(demo.sandbox.page);
	});
});
