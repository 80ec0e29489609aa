import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import type { Demo } from '../../../demo/startDemo';
import { describeIfChromium } from '../support/describeIfChromium';
import type { Editor } from '../support/editor';
import { startDemoOncePerFile, openEditorOncePerFile } from '../support/sharedDemo';

describeIfChromium("the demo's documentation link of a node", () => {
	let demo: Demo;
	let editor: Editor;
	beforeAll(async () => {
		demo = await startDemoOncePerFile();
		editor = await openEditorOncePerFile();
	});

	it.each([
		['start-here', 'Found'],
		['list-documents', 'Newest documents'],
	])('leads to a page of the clone, in %s: %s', async (file, name) => {
		await editor.openPanel(demo.workflows.get(file)?.id as string, name);
		const link = editor.page.getByRole('link', { name: 'Docs', exact: true });
		const address = (await link.getAttribute('href')) as string;
		expect(address).toMatch(demo.sandbox.page);
		expect((await fetchUnpooled(address)).status).toBe(200);
	});
});
