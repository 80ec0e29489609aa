import { ensurePackageBuilt } from '../../../demo/installPackage';
import { Processes } from '../../../demo/processes';
import { ensureUserFolderTemplate } from './userFolderTemplate';

/** Before the first file: each of them installs the package, and two that build it at once would be in each other's way. */
export default async (): Promise<void> => {
	await ensurePackageBuilt(new Processes());
	await ensureUserFolderTemplate();
};
