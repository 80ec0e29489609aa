import {
	selectors,
	type Browser,
	type BrowserContextOptions,
	type Locator,
	type Page,
} from 'playwright-core';
import type { N8n } from '../../../demo/startN8n';
import { until } from '../../support/until';
import { launchBrowser, newContext, takeScreenshot } from './browser';

/** Only this part of the browser's HTMLImageElement is read. */
interface Picture {
	decode(): Promise<void>;
	naturalWidth: number;
}

interface Button {
	click(): void;
}

/** The router and the stores of the editor's Vue application are read. */
interface VueRoot {
	__vue_app__: {
		config: {
			globalProperties: {
				$router: { push(path: string): Promise<unknown> };
				$pinia: { _s: Map<string, { isConnected: boolean }> };
			};
		};
	};
}

/** The n8n editor in a Chromium, as its owner sees it. */
export class Editor {
	private isLoaded = false;
	/** The workflow that `openPanel` has opened last. */
	private withPanel: string | undefined;

	private constructor(
		private readonly browser: Browser,
		readonly page: Page,
		private readonly n8n: N8n,
	) {}

	/** Starts Chromium, and signs in by n8n's API; the tutorial's test does so by hand. Throws when there is no Chromium. */
	static async signIn(
		n8n: N8n,
		{ headless = true, ...options }: BrowserContextOptions & { headless?: boolean } = {},
	): Promise<Editor> {
		selectors.setTestIdAttribute('data-test-id');
		const browser = await launchBrowser(headless);
		const viewport = { width: 1600, height: 900 };
		const context = await newContext(browser, { viewport, ...options });
		const { email: emailOrLdapLoginId, password } = n8n.login;
		const answer = await context.request.post(`${n8n.url}/rest/login`, {
			data: { emailOrLdapLoginId, password },
		});
		if (!answer.ok()) throw new Error(`n8n answered ${answer.status()} to the login`);
		const page = await context.newPage();
		return new Editor(browser, page, n8n);
	}

	/** Opens a workflow: the first by its address, others within the editor, by way of a page that loads little. */
	async open(workflowId: string): Promise<void> {
		const path = `/workflow/${workflowId}`;
		this.withPanel = undefined;
		if (!this.isLoaded) return await this.load(path);
		await this.leave();
		await this.closeNotifications();
		await this.go(path);
		await this.canvasNode.waitFor();
	}

	/** Opens the panel of a node; one that is open in the same workflow is closed before, unless that is opened anew. */
	async openPanel(workflowId: string, node: string, isAnew = false): Promise<void> {
		const execute = this.page.getByTestId('node-execute-button');
		if (this.withPanel === workflowId && !isAnew) {
			await this.page.keyboard.press('Escape');
			await execute.waitFor({ state: 'detached' });
		} else {
			await this.open(workflowId);
		}
		await this.node(node).dblclick();
		await execute.waitFor();
		this.withPanel = workflowId;
	}

	/** The next workflow is opened by its address, as after a restart of n8n. */
	forget(): void {
		this.isLoaded = false;
	}

	private async load(path: string): Promise<void> {
		await this.page.goto(`${this.n8n.url}${path}`);
		await this.canvasNode.waitFor();
		// n8n's Production Checklist, over the upper left, which a person closes.
		const checklist = '[data-reka-popper-content-wrapper]:has([class*="actionHeader"])';
		await this.page.addStyleTag({ content: `${checklist} { display: none !important }` });
		// Before, the editor refuses to execute a workflow, for it would not hear what comes of it.
		await until('the editor hears what n8n does', async () => {
			return await this.app.evaluate(
				({ __vue_app__: app }: VueRoot) =>
					app.config.globalProperties.$pinia._s.get('push')?.isConnected,
			);
		});
		this.isLoaded = true;
	}

	/** Leaves the displayed workflow without saving a test's changes. */
	private async leave(): Promise<void> {
		let [isAnswered, isLeft] = [false, false];
		const question = this.page.getByRole('button', { name: 'Leave without saving' });
		const left = this.go('/settings/personal').then(() => (isLeft = true));
		const answered = until('the workflow is left', async () => {
			if (!isAnswered && (await question.isVisible())) {
				isAnswered = true;
				await question.click();
			}
			return isLeft;
		});
		await Promise.all([left, answered]);
		await this.canvasNode.waitFor({ state: 'detached' });
	}

	/** Otherwise n8n's output about one workflow would count for the next. */
	private async closeNotifications(): Promise<void> {
		const buttons = this.page.locator('.el-notification__closeBtn');
		await buttons.evaluateAll((all: Button[]) => all.forEach((each) => each.click()));
		await buttons.first().waitFor({ state: 'detached' });
	}

	private get canvasNode(): Locator {
		return this.page.getByTestId('canvas-node').first();
	}

	private get app(): Locator {
		return this.page.locator('#app');
	}

	private async go(path: string): Promise<void> {
		await this.app.evaluate(async ({ __vue_app__: app }: VueRoot, to: string) => {
			await app.config.globalProperties.$router.push(to);
		}, path);
	}

	/** A node on the canvas, by its name. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Nodes of which n8n does not know the type: it shows a question mark, and offers to install them. */
	get unknownNodes(): Locator {
		return this.page
			.getByTestId('node-not-installed')
			.or(this.page.getByText('?', { exact: true }));
	}

	/** Width in pixels of the picture that a node shows; 0 if it could not be loaded. */
	async iconWidth(name: string): Promise<number> {
		const icon = this.node(name).locator('img');
		await icon.waitFor();
		return await icon.evaluate(async (image: Picture) => {
			await image.decode().catch(() => {});
			return image.naturalWidth;
		});
	}

	/** Clicks Execute workflow; with several triggers, that of one of them. */
	async click(trigger?: string): Promise<void> {
		if (trigger === undefined) {
			await this.page.getByTestId('execute-workflow-button').click();
			return;
		}
		await this.node(trigger).hover();
		await this.page.getByTestId(`execute-workflow-button-${trigger}`).click();
	}

	/** Searches the node creator; returns the names that it shows. */
	async search(text: string): Promise<string[]> {
		const creator = this.page.getByTestId('node-creator');
		if ((await creator.count()) === 0) {
			await this.page.getByTestId('node-creator-plus-button').click();
		}
		// The unfiltered list has this entry, so that results differ from what was there before.
		const unfiltered = creator.getByText('Action in an app');
		const field = creator.locator('input').first();
		await field.fill('');
		await unfiltered.waitFor();
		await field.fill(text);
		await unfiltered.waitFor({ state: 'hidden' });
		return await creator.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** Waits until n8n listens for the event that starts the workflow. */
	async listening(): Promise<void> {
		await this.page
			.getByText(/^Waiting for /)
			.first()
			.waitFor();
	}

	/** Clicks Execute workflow and waits until n8n listens for the event that starts it. */
	async execute(): Promise<void> {
		await this.click();
		await this.listening();
	}

	/** The marks of the nodes that succeeded in the run shown. */
	get succeededNodes(): Locator {
		return this.page.getByTestId('canvas-node-status-success');
	}

	/** Waits until the editor says that the run has succeeded. */
	async succeeded(): Promise<void> {
		await this.page
			.getByText('Workflow executed successfully')
			.waitFor()
			.catch(async (error: Error) => {
				const notifications = await this.page.locator('.el-notification').allInnerTexts();
				throw new Error(`${error.message}; n8n shows ${JSON.stringify(notifications)}`);
			});
	}

	async screenshot(name: string): Promise<void> {
		await takeScreenshot(this.page, name);
	}

	async close(): Promise<void> {
		await this.browser.close();
	}
}
