import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { format, resolveConfig } from 'prettier';
import { startDemo, type Demo } from '../../demo/startDemo';
import { applicationFormUrl, REVIEW_PAGES_BASIC_AUTH } from '../../demo/provision';
import { applicantJsonFile } from '../../demo/smokeTest';
import { repositoryRoot } from '../../demo/installPackage';
import { Editor } from '../../test/e2e/support/editor';
import { animate, type Frame } from './animatedWebp';

const folder = join(repositoryRoot, 'docs', 'pictures');
const QUALITY = 75;
const WINDOW = { width: 1280, height: 800 };
/** Gives n8n room to show a whole workflow in its own size. */
const CANVAS = { width: 2_000, height: 1_500 };
/** Empty boxes that the editors of expressions leave at the edge of the page. */
const STRAY_TOOLTIPS = 'div[class^="ͼ"]';
/** What n8n lays over the canvas. */
const BESIDE_THE_CANVAS =
	'.vue-flow__panel, [class*="executionButtons"], [data-test-id="canvas-controls"]';
const NODES_AND_THEIR_TEXTS = ['', ' [class*="subtitle"]', ' [class*="_label"]']
	.map((part) => `.vue-flow__node${part}`)
	.join();
/** What a trigger's sign takes to its left, and the plus to the right of the last node. */
const BOLT = 24;
/** A picture of a canvas is this wide: twice the width of a README. */
const CANVAS_PICTURE_WIDTH = 1_680;
const TALLEST = 2_000;
/** The window of README's animation, and its quality. */
const FILM = { width: 960, height: 640 };
const FILM_QUALITY = 80;
/** n8n's panels need more room; of the same shape. */
const EDITOR_IN_FILM = { width: 1140, height: 760 };
const MARGIN = 16;

/** By the texts of panels and canvas a test detects an outdated picture. */
const labels: Record<string, string[]> = {};
process.env.FONTCONFIG_FILE = join(repositoryRoot, 'scripts', 'docs', 'fonts.conf');

/** Names of the new pictures. Once all are there, those that no longer have a subject are deleted. */
const taken = new Set<string>();

/** Nodes whose panels are shown: a file's name, the example, the node in it. */
const panels: Array<[name: string, example: string, node: string]> = [
	['panel-tax-query', 'start-here', 'Pending'],
	['panel-credit-profile', 'list-documents', 'Newest documents'],
	['panel-provider-login', 'rotate-provider-credentials', 'Store new login'],
	['panel-trigger', 'collect-query-results', 'Tax Query Trigger'],
];
const credentials: Array<[name: string, title: string]> = [
	['credential-tax-query', 'Tax Query sandbox'],
	['credential-credit-profile', 'Credit Profile sandbox'],
];
/** These exist in dark, too. */
const dark = ['start-here', 'onboard-applicant'];

/** Only this part of the browser's HTMLElement is read. */
interface Box {
	scrollHeight: number;
	clientHeight: number;
	querySelector(selector: string): Box | null;
	querySelectorAll(selector: string): Iterable<Box>;
}

/** So many pixels of a dialog's fields have to be scrolled to. */
const hiddenIn = async (dialog: Locator) =>
	await dialog.evaluate((root: Box) =>
		Math.max(
			0,
			...[...root.querySelectorAll('*')]
				.filter((each) => each.clientHeight > 200 && each.querySelector('label'))
				.map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight),
		),
	);

/** Makes the window so tall that all fields of the dialog are seen. */
async function whole(page: Page, dialog: Locator): Promise<void> {
	await page.setViewportSize(WINDOW);
	await settled(page);
	for (let height = WINDOW.height; height < TALLEST;) {
		const hidden = await hiddenIn(dialog);
		if (hidden === 0) return;
		height += hidden;
		await page.setViewportSize({ ...WINDOW, height });
		await settled(page);
	}
}

/** Opens a workflow by its address: pages beside the editor are shown in between. */
async function open(editor: Editor, workflowId: string): Promise<void> {
	editor.forget();
	await editor.open(workflowId);
	await editor.page.addStyleTag({ content: `${STRAY_TOOLTIPS} { display: none !important }` });
}

/** DevTools give WebP. */
async function capture(page: Page, options: object): Promise<Buffer> {
	const devTools = await page.context().newCDPSession(page);
	const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', ...options });
	await devTools.detach();
	return Buffer.from(data, 'base64');
}

async function store(name: string, picture: Buffer): Promise<void> {
	await writeFile(join(folder, `${name}.webp`), picture);
	taken.add(name);
	console.log(`docs/pictures/${name}.webp`);
}

async function take(page: Page, name: string, of?: Locator | Area, scale = 1): Promise<void> {
	const box = of && ('width' in of ? of : await of.boundingBox());
	const around = box && {
		x: Math.max(0, box.x - MARGIN),
		y: Math.max(0, box.y - MARGIN),
		width: box.width + 2 * MARGIN,
		height: box.height + 2 * MARGIN,
		scale,
	};
	const clip = around && { clip: around, captureBeyondViewport: true };
	await store(name, await capture(page, { quality: QUALITY, ...clip }));
}

/** The first line of each label; n8n writes a star and the choice of an expression behind it. */
async function textsOf(page: Page, selector: string): Promise<string[]> {
	const texts = await page.locator(selector).allInnerTexts();
	const labels = texts.map((text) => text.trim().split('\n')[0].replace(/ \*$/, ''));
	return [...new Set(labels)].filter((label) => label !== '');
}

async function canvas(editor: Editor, demo: Demo, example: string, name: string): Promise<void> {
	const { page } = editor;
	await page.setViewportSize(CANVAS);
	await open(editor, demo.workflows.get(example)?.id as string);
	await page.getByTestId('zoom-to-fit').click();
	await page.mouse.move(800, 20);
	await settled(page);
	await page.addStyleTag({ content: `${BESIDE_THE_CANVAS} { visibility: hidden }` });
	await page.locator('.vue-flow__node').evaluateAll(enlargeNotes);
	labels[name] = await textsOf(page, '[data-node-type*="credit-profile"] [class*="subtitle"]');
	const area = await page.locator(NODES_AND_THEIR_TEXTS).evaluateAll(areaOf, BOLT);
	await take(page, name, area, Math.min(2, CANVAS_PICTURE_WIDTH / (area.width + 2 * MARGIN)));
}

/** A part of a page. */
type Area = Record<'x' | 'y' | 'width' | 'height', number>;

/** Describes the part of the browser's HTMLElement that is read to place and enlarge. */
interface Placed {
	getBoundingClientRect(): Record<'left' | 'top' | 'right' | 'bottom' | 'width', number>;
	querySelector(selector: string): Placed | null;
	parentElement: Placed;
	style: { zoom: string };
}

/** Returns the area that all elements together take, and `beside` to their left and right. It runs in the browser. */
function areaOf(elements: unknown[], beside: number): Area {
	const boxes = (elements as Placed[])
		.map((element) => element.getBoundingClientRect())
		.filter(({ width }) => width > 0);
	const x = Math.min(...boxes.map(({ left }) => left)) - beside;
	const y = Math.min(...boxes.map(({ top }) => top));
	const width = Math.max(...boxes.map(({ right }) => right)) + beside - x;
	return { x, y, width, height: Math.max(...boxes.map(({ bottom }) => bottom)) - y };
}

/** Enlarges the text of the notes as far as there is room in them and above their nodes. It runs in the browser. */
function enlargeNotes(elements: unknown[]): void {
	const notes = (elements as Placed[]).filter((one) =>
		one.querySelector('[data-test-id="sticky"]'),
	);
	const nodes = (elements as Placed[]).filter((one) => !notes.includes(one));
	for (const note of notes) {
		const box = note.getBoundingClientRect();
		const tops = nodes
			.map((node) => node.getBoundingClientRect())
			.filter(({ left, right }) => right > box.left && left < box.right)
			.filter(({ top, bottom }) => bottom > box.top && top < box.bottom);
		const end = Math.min(box.bottom, ...tops.map(({ top }) => top)) - 8;
		const text = note.querySelector('h1, h2, h3, p')?.parentElement;
		for (let percent = 150; text && percent >= 100; percent -= 5) {
			text.style.zoom = `${percent}%`;
			if (text.getBoundingClientRect().bottom <= end) break;
		}
	}
}

/** A part of a page, of the film's shape. */
type Part = Record<'x' | 'y' | 'width', number>;

/** Movements have come to their end. */
const settled = async (page: Page) => await page.waitForTimeout(700);

async function openPanel(editor: Editor, demo: Demo, example: string, node: string): Promise<void> {
	await open(editor, demo.workflows.get(example)?.id as string);
	await editor.node(node).dblclick();
	await editor.page.getByTestId('node-execute-button').first().waitFor();
	await whole(editor.page, editor.page.getByTestId('ndv'));
}

async function panel(
	editor: Editor,
	demo: Demo,
	[name, example, node]: (typeof panels)[0],
	suffix = '',
) {
	await openPanel(editor, demo, example, node);
	labels[name + suffix] = await textsOf(
		editor.page,
		'[data-test-id="node-parameters"] label, [data-test-id="parameter-item"] label',
	);
	await take(editor.page, name + suffix);
}

async function receipt(editor: Editor, demo: Demo): Promise<void> {
	await openPanel(editor, demo, 'start-here', 'Found');
	await editor.page.getByTestId('node-execute-button').first().click();
	await editor.page
		.getByText(/quer(y|ies) sent|reused/)
		.first()
		.waitFor();
	await editor.page.locator('.el-notification__closeBtn').first().click();
	await settled(editor.page);
	await take(editor.page, 'receipt');
}

/** Takes the sandbox's page after a run of Start here: its queries, and the calls of those with a result. */
async function sandboxPage(editor: Editor, demo: Demo): Promise<void> {
	await open(editor, demo.workflows.get('start-here')?.id as string);
	await editor.click();
	const page = await editor.page.context().newPage();
	await page.setViewportSize(WINDOW);
	await page.goto(demo.sandbox.page);
	await page.addStyleTag({ content: 'section:has(#reserved) { display: none }' }); // docs/sandbox.md has them
	await page.getByText('Refused').waitFor();
	await page.locator('#deliveries tr').nth(1).waitFor();
	await settled(page);
	await take(page, 'sandbox-page', page.locator('body'));
	await page.close();
}

async function listening(editor: Editor, demo: Demo): Promise<void> {
	await openPanel(editor, demo, 'collect-query-results', 'Tax Query Trigger');
	await editor.page.getByTestId('node-execute-button').first().click();
	await editor.page.getByRole('button', { name: 'Unpin and test' }).click(); // the example's event is pinned
	await editor.page.getByText('Stop Listening').first().waitFor();
	await settled(editor.page);
	await take(editor.page, 'trigger-listening');
}

const LABELS = [
	'Nombre(s)',
	'Primer apellido',
	'Segundo apellido',
	'Fecha de nacimiento',
	'CURP',
	'Correo electrónico',
	'Teléfono',
];

/**
 * Makes README's animation: the form, the applicant's last page, the operator's list and dossier after the CRF, and a
 * query's receipt. The last page and the dossier are pictures of their own, too.
 */
async function film(editor: Editor, demo: Demo): Promise<void> {
	const frames: Frame[] = [];
	const browser = editor.page.context().browser();
	if (!browser) throw new Error('The browser has ended');
	const context = await browser.newContext({
		...{ locale: 'es-MX', timezoneId: 'America/Mexico_City', viewport: FILM },
		httpCredentials: {
			username: REVIEW_PAGES_BASIC_AUTH.user,
			password: REVIEW_PAGES_BASIC_AUTH.password,
		},
	});
	const shoot = async (page: Page, milliseconds: number, part?: Part) => {
		await settled(page);
		const clip = part && { ...part, height: (part.width / FILM.width) * FILM.height };
		const scaled = clip && { clip: { ...clip, scale: FILM.width / clip.width } };
		const picture = await capture(page, { quality: FILM_QUALITY, ...scaled });
		frames.push({ picture, milliseconds });
	};
	const page = await context.newPage();
	await page.goto(applicationFormUrl(demo.n8n));
	await shoot(page, 1500);
	const applicant = JSON.parse(await readFile(applicantJsonFile, 'utf8')) as Record<string, string>;
	await page.getByLabel('Producto').selectOption('Crédito personal');
	await page.getByLabel('Monto que solicita').fill('50,000');
	await shoot(page, 600);
	for (const [index, typed] of [...Object.values(applicant), '55 1234 5678'].entries()) {
		await page.getByLabel(LABELS[index], { exact: true }).fill(typed);
		await shoot(page, 600);
	}
	await page.getByLabel('Leí y acepto la autorización').check();
	await page.getByRole('button').hover();
	await shoot(page, 1000);
	await page.getByRole('button').click();
	await page.getByText('Su folio es').waitFor();
	await shoot(page, 2500);
	await take(page, 'thank-you', page.locator('main'));

	await page.goto(`${demo.n8n.url}/webhook/solicitudes`);
	await shoot(page, 2000);
	await page.getByRole('link', { name: /^S-/ }).first().click();
	while ((await page.getByText('605').count()) === 0) {
		await settled(page);
		await page.reload();
	}
	await shoot(page, 4000);
	await page.mouse.move(480, 400);
	await page.mouse.wheel(0, 2000);
	await shoot(page, 2500);
	await page.setViewportSize(WINDOW);
	await page.mouse.wheel(0, -2000);
	await settled(page);
	await take(page, 'dossier', page.locator('main'));
	await context.close();

	const { page: n8n } = editor;
	await n8n.setViewportSize(EDITOR_IN_FILM);
	await open(editor, `${demo.workflows.get('verify-applicant')?.id as string}/executions`);
	await editor.node('Calculate RFC').waitFor();
	const whole = { x: 0, y: 0, width: EDITOR_IN_FILM.width };
	await shoot(n8n, 2000, whole);
	await editor.node('Calculate RFC').dblclick();
	const reported = n8n.getByText('Billed: 1 query');
	await reported.waitFor();
	await shoot(n8n, 2500, whole);
	const { x = 0, y = 0 } = (await reported.boundingBox()) ?? {};
	await shoot(n8n, 4000, { x: x - 60, y: y - 120, width: EDITOR_IN_FILM.width / 3 });
	await store('onboarding', animate(frames, FILM));
}

/** Beginnings of names: only these pictures are taken, and the others stay as they are. All without any. */
const chosen = process.argv.slice(2);
const isChosen = (name: string) =>
	chosen.length === 0 || chosen.some((start) => name.startsWith(start));

async function main(): Promise<void> {
	const file = join(folder, 'labels.json');
	if (chosen.length > 0) Object.assign(labels, JSON.parse(await readFile(file, 'utf8')));
	const demo = await startDemo({ log: (line) => console.error(line) });
	const editor = await Editor.signIn(demo.n8n);
	try {
		const { page } = editor;
		await page.setViewportSize(WINDOW);
		// n8n's hint at pinning, shown once over the output.
		await page.addInitScript("localStorage.setItem('N8N_PIN_DATA_DISCOVERY_NDV', 'true')");
		if (isChosen('trigger-listening')) await listening(editor, demo);
		if (isChosen('receipt')) await receipt(editor, demo); // first: a later one reuses its result
		for (const [name, title] of credentials.filter(([name]) => isChosen(name))) {
			await page.goto(`${demo.n8n.url}/home/credentials`);
			await page
				.getByTestId('resources-list-item')
				.filter({ has: page.getByText(title, { exact: true }) })
				.click();
			const dialog = page.getByTestId('editCredential-modal');
			await dialog.waitFor();
			const limit = '--dialog--max-height: none !important';
			await page.addStyleTag({ content: `[class*="credentialModal"] { ${limit} }` });
			await whole(page, dialog);
			labels[name] = await textsOf(page, '[data-test-id="editCredential-modal"] label');
			await take(page, name, dialog);
		}
		if (isChosen('onboarding')) await film(editor, demo);
		if (isChosen('sandbox-page')) {
			await sandboxPage(editor, demo);
		}
		for (const example of [...demo.workflows.keys()].sort()) {
			if (isChosen(`canvas-${example}`)) await canvas(editor, demo, example, `canvas-${example}`);
		}
		for (const one of panels.filter(([name]) => isChosen(name))) await panel(editor, demo, one);

		await page.emulateMedia({ colorScheme: 'dark' });
		for (const example of dark) {
			if (isChosen(`canvas-${example}`)) {
				await canvas(editor, demo, example, `canvas-${example}.dark`);
			}
		}
		for (const one of [panels[0], panels[3]]) {
			if (isChosen(one[0])) await panel(editor, demo, one, '.dark');
		}
		const style = { ...(await resolveConfig(file)), parser: 'json' };
		await writeFile(file, await format(JSON.stringify(labels, null, 2), style));
		if (chosen.length > 0) return;
		const old = (await readdir(folder)).filter(
			(name) => name.endsWith('.webp') && !taken.has(name.replace(/\.webp$/, '')),
		);
		for (const name of old) await rm(join(folder, name));
	} finally {
		await editor.close();
		await demo.stop();
	}
}

main().catch((error: Error) => {
	console.error(error);
	process.exitCode = 1;
});
