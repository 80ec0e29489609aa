import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HEADLESS, startN8n } from '../../../demo/startN8n';
import { ensureN8nInstalled } from '../../../demo/n8nInstallation';
import { installPackage } from '../../../demo/installPackage';
import { RestartableN8n } from '../../../bench/support/restartableN8n';
import { startOnFirstUsePerFile } from './shared';

export const restartableHeadlessN8n = new RestartableN8n();

const begun = startOnFirstUsePerFile(
	async () => {
		const userFolder = await mkdtemp(join(tmpdir(), 'credit-profile-e2e-'));
		await ensureN8nInstalled();
		await installPackage(restartableHeadlessN8n, userFolder);
		return {
			userFolder,
			n8n: await startN8n(restartableHeadlessN8n, userFolder, () => {}, HEADLESS),
		};
	},
	async ({ userFolder }) => {
		await restartableHeadlessN8n.stop();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	},
);

/** An n8n without an editor, with this package, for all tests of a file; they kill and restart it by `restartableHeadlessN8n`. */
export const startHeadlessN8nOncePerFile = async () => (await begun()).n8n;

/** The user folder of that n8n. */
export const headlessN8nUserFolder = async () => (await begun()).userFolder;
