import { randomInt } from 'node:crypto';
import { chooseDemoPorts } from '../../demo/chooseFreePorts';

/**
 * A port of its own for a demo under test, whose next one is free as well. It lies below those that the system gives
 * to others (from 32,768 on, or higher), so that none takes it before n8n listens.
 */
export async function freeDemoPort(): Promise<number> {
	const port = randomInt(10_000, 30_000);
	return await chooseDemoPorts(port).then(
		({ n8n }) => n8n,
		async () => await freeDemoPort(),
	);
}
