import { startDemo, type Demo } from '../../../demo/demo';
import { SPARING } from '../../../demo/n8n';
import { Editor } from './editor';
import { Mailbox } from './mailbox';
import { StandInModel } from './standInModel';

const MINUTES = 60_000;
/** What has been started, in the order of its start. */
const started: Array<Promise<() => Promise<void>>> = [];

/** Starts something for the first who asks. All others of the test file share it; it ends with the file. */
function once<T>(start: () => Promise<T>, stop: (it: T) => Promise<unknown>): () => Promise<T> {
	let it: Promise<T> | undefined;
	return async () => {
		if (!it) {
			it = start();
			started.push(
				it.then(
					(begun) => async () => void (await stop(begun)),
					() => async () => {},
				),
			);
		}
		return await it;
	};
}

afterAll(async () => {
	for (const stop of started.reverse()) await (await stop)();
}, MINUTES);

export const theModel = once(
	async () => await StandInModel.start(),
	async (model) => await model.stop(),
);
export const theMailbox = once(
	async () => await Mailbox.start(),
	async (mailbox) => await mailbox.stop(),
);

/** A demo for all tests of a file that neither restart n8n nor count on being alone with it. */
export const oneDemo: () => Promise<Demo> = once(
	async () => {
		const [model, mailbox] = await Promise.all([theModel(), theMailbox()]);
		return await startDemo({
			agentServices: { modelUrl: model.url, mailPort: mailbox.port },
			settings: SPARING,
		});
	},
	async (demo) => await demo.stop(),
);

/** Its editor. */
export const oneEditor = once(
	async () => await Editor.signIn((await oneDemo()).n8n),
	async (editor) => await editor.close(),
);
