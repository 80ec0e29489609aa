import { startDemo, type Demo } from '../../../demo/startDemo';
import { LOW_CPU } from '../../../demo/startN8n';
import type { SandboxCommand } from '../../../demo/sandbox';
import { RestartableN8n } from '../../../bench/support/restartableN8n';
import { Editor } from './editor';
import { TestMailServer } from './testMailServer';
import { startOnFirstUsePerFile } from './shared';
import { StubModel } from '../../../demo/stubModel';

/** The sandbox of the sources, unless a file of tests brings another. */
let sandbox: () => Promise<SandboxCommand | undefined> = async () => undefined;
export const setDemoSandboxProgram = (program: () => Promise<SandboxCommand>) =>
	void (sandbox = program);

export const startStubModelOncePerFile = startOnFirstUsePerFile(
	async () => await StubModel.start(),
	async (model) => await model.stop(),
);
export const startMailServerOncePerFile = startOnFirstUsePerFile(
	async () => await TestMailServer.start(),
	async (mailbox) => await mailbox.stop(),
);

/** By which the last part of a file may kill and restart n8n. */
export const restartableN8n = new RestartableN8n();
/** A demo for all tests of a file that do not count on being alone with it. */
export const startDemoOncePerFile: () => Promise<Demo> = startOnFirstUsePerFile(
	async () => {
		const [model, mailbox] = await Promise.all([
			startStubModelOncePerFile(),
			startMailServerOncePerFile(),
		]);
		return await startDemo({
			processes: restartableN8n,
			sandboxProgram: await sandbox(),
			agentServices: { modelUrl: model.url, mailPort: mailbox.port },
			settings: LOW_CPU,
		});
	},
	async (demo) => await demo.stop(),
);

/** Its editor. */
export const openEditorOncePerFile = startOnFirstUsePerFile(
	async () => await Editor.signIn((await startDemoOncePerFile()).n8n),
	async (editor) => await editor.close(),
);
