import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseDemoPorts, freePorts, type DemoPorts } from './chooseFreePorts';
import { repositoryRoot } from './installPackage';
import type { CreatedWorkflow } from './provision';

/** Where a demo keeps its data from one time to the next. */
export const KEPT_FOLDER = join(repositoryRoot, '.demo');

/** What a demo has to find again: the addresses that n8n's credentials hold, and its workflows. */
export interface KeptDemo {
	folder: string;
	ports: DemoPorts & { model: number; mail: number };
	/** By file name without `.json`; none at the first time. */
	workflows: Array<[string, CreatedWorkflow]>;
}

/** Returns the demo that is kept in a folder, or a new one with free ports. Throws if a port of it is in use. */
export async function readKeptDemo(folder: string, port?: number): Promise<KeptDemo> {
	const text = await readFile(join(folder, 'demo.json'), 'utf8').catch(() => undefined);
	if (text === undefined) {
		const [model, mail] = await freePorts(2);
		return { folder, ports: { ...(await chooseDemoPorts(port)), model, mail }, workflows: [] };
	}
	const { ports, workflows } = JSON.parse(text) as KeptDemo;
	if (port !== undefined && port !== ports.n8n) {
		throw new Error(
			`The kept demo listens on port ${ports.n8n}: leave --port out, or remove ${folder}`,
		);
	}
	const { n8n, sandbox } = await chooseDemoPorts(undefined, ports);
	if (n8n !== ports.n8n || sandbox !== ports.sandbox) {
		throw new Error(
			`The kept demo needs the ports ${ports.n8n} and ${ports.sandbox}, and one is in use`,
		);
	}
	return { folder, ports, workflows };
}

/** Writes down what the next time needs. */
export async function writeKeptDemo({ folder, ports, workflows }: KeptDemo): Promise<void> {
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, 'demo.json'), JSON.stringify({ ports, workflows }, null, 2));
}
