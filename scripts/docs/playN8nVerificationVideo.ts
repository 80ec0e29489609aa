// npm run docs:video [-- --headless] [--fast] [--record FOLDER]: plays the single-take video that n8n asks for with a
// submission. It starts the demo, opens a browser, and goes through the shots below at the pace of a speaker; a person
// records the screen meanwhile. --fast waits for nobody, to try the shots. --record lets Playwright write the file,
// which needs its FFmpeg: npx playwright-core install ffmpeg.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startDemo, type Demo } from '../../demo/startDemo';
import { Editor } from '../../test/e2e/support/editor';

/** One part of the video. */
interface Shot {
	title: string;
	/** The time on the screen. */
	seconds: number;
	/** The speaker's text. */
	text: string;
	play(stage: Stage): Promise<void>;
}

/** The demo and the browser that a shot acts on. */
interface Stage {
	demo: Demo;
	editor: Editor;
}

const WINDOW = { width: 1600, height: 900 };

async function openExample({ demo, editor }: Stage, name: string): Promise<void> {
	editor.forget();
	await editor.open(demo.workflows.get(name)?.id as string);
	await editor.page.getByTestId('zoom-to-fit').click();
}

/** Runs an example by one click. */
async function runExample(stage: Stage, name: string): Promise<void> {
	await openExample(stage, name);
	await stage.editor.click();
	await stage.editor.succeeded();
}

async function openCredential({ demo, editor }: Stage, title: string): Promise<void> {
	const { page } = editor;
	await page.goto(`${demo.n8n.url}/home/credentials`);
	await page
		.getByTestId('resources-list-item')
		.filter({ has: page.getByText(title, { exact: true }) })
		.click();
	await page.getByTestId('editCredential-modal').waitFor();
}

/** The shot list: five minutes in all. */
const shots: Shot[] = [
	{
		title: 'What it is',
		seconds: 35,
		text: 'Two action nodes and a trigger for Mexican tax and identity checks: found by name in the panel of nodes.',
		async play(stage) {
			await openExample(stage, 'start-here');
			await stage.editor.search('Tax Query');
		},
	},
	{
		title: 'Credential',
		seconds: 35,
		text: 'One credential for each service. Its test logs in, and reads one page; nothing is billed.',
		async play(stage) {
			await openCredential(stage, 'Tax Query sandbox');
			await stage.editor.page.getByRole('button', { name: 'Retry' }).first().click();
			await stage.editor.page.getByText('Connection tested successfully').waitFor();
		},
	},
	{
		title: 'First query',
		seconds: 50,
		text: 'One click runs five queries: found, not found, pending, failed, slow. The receipt says what was billed.',
		async play(stage) {
			await runExample(stage, 'start-here');
			await stage.editor.node('Found').dblclick();
			await stage.editor.page.getByText('Billed:').first().waitFor();
		},
	},
	{
		title: 'Paid once',
		seconds: 35,
		text: 'Run again, the same queries are reused: nothing is billed twice.',
		async play(stage) {
			await stage.editor.page.getByTestId('node-execute-button').first().click();
			await stage.editor.page.getByText('reused').first().waitFor();
		},
	},
	{
		title: 'A list of taxpayers',
		seconds: 55,
		text: 'A table in, offline check, one query for each taxpayer, results, failures and pending ones apart.',
		play: async (stage) => await runExample(stage, 'list-of-taxpayers'),
	},
	{
		title: 'Results that come later',
		seconds: 40,
		text: 'The trigger starts a workflow when a result is there: by webhook, or by a check of its own where a call was missed.',
		async play(stage) {
			await openExample(stage, 'collect-query-results');
			await stage.editor.node('Tax Query Trigger').dblclick();
			await stage.editor.page.getByText('Webhook URLs').first().waitFor();
		},
	},
	{
		title: 'Documents',
		seconds: 30,
		text: 'The Credit Profile node lists collections and their documents, and downloads files.',
		play: async (stage) => await runExample(stage, 'list-documents'),
	},
	{
		title: 'Where it was billed',
		seconds: 20,
		text: 'The page of the sandbox shows each query, and each one once.',
		async play({ demo, editor }) {
			await editor.page.goto(demo.sandbox.page);
		},
	},
];

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			headless: { type: 'boolean', default: false },
			fast: { type: 'boolean', default: false },
			record: { type: 'string' },
		},
	});
	const demo = await startDemo({ log: (line) => console.error(line) });
	let editor: Editor | undefined;
	try {
		const recordVideo = values.record ? { dir: values.record, size: WINDOW } : undefined;
		editor = await Editor.signIn(demo.n8n, {
			headless: values.headless,
			viewport: WINDOW,
			recordVideo,
		});
		const start = performance.now();
		let end = 0;
		for (const shot of shots) {
			console.log(`${clock(performance.now() - start)}  ${shot.title}: ${shot.text}`);
			await shot.play({ demo, editor });
			end += shot.seconds * 1000;
			if (!values.fast) await sleep(Math.max(0, start + end - performance.now()));
		}
		console.log(`${clock(performance.now() - start)}  End`);
	} finally {
		await editor?.close();
		await demo.stop();
	}
}

const clock = (ms: number): string =>
	`${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`;

main().catch((error: Error) => {
	console.error(error);
	process.exitCode = 1;
});
