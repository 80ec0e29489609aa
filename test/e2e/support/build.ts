import { buildPackage } from '../../../demo/installPackage';
import { Processes } from '../../../demo/processes';
import { ensureTemplate } from './template';

/** Before the first file: each of them installs the package, and two that build it at once would be in each other's way. */
export default async (): Promise<void> => {
	await buildPackage(new Processes());
	await ensureTemplate();
};
