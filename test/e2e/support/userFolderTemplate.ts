import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HEADLESS, startUnowned } from '../../../demo/startN8n';
import { ensureN8nInstalled, pinnedInstallation } from '../../../demo/n8nInstallation';
import {
	copyDatabaseIntoUserFolder,
	TEMPLATE_FOLDER_VARIABLE,
} from '../../../demo/copyN8nDatabase';
import { Processes } from '../../../demo/processes';

/** Makes, once for an installed n8n, a user folder whose database has all its tables, and no owner yet. */
export async function ensureUserFolderTemplate(): Promise<void> {
	const modules = join(pinnedInstallation.folder, 'node_modules');
	const template = join(modules, '.user-template');
	const processes = new Processes();
	await ensureN8nInstalled();
	if (!existsSync(template)) {
		const folder = await mkdtemp(join(modules, '.user-'));
		try {
			await startUnowned(processes, folder, () => {}, HEADLESS);
			await processes.stop();
			await copyDatabaseIntoUserFolder(folder, join(folder, 'template'));
			await rename(join(folder, 'template'), template);
		} finally {
			await rm(folder, { recursive: true, force: true, maxRetries: 5 });
		}
	}
	process.env[TEMPLATE_FOLDER_VARIABLE] = template;
}
