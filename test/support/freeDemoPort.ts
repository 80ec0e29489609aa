import { randomInt } from 'node:crypto';
import { chooseDemoPorts } from '../../demo/chooseFreePorts';

/**
 * A random port for a demo under test, whose next one is free as well. It lies below those that the system hands out
 * (from 32,768 on, or higher), because n8n listens only some seconds later.
 */
export async function freeDemoPort(): Promise<number> {
	const port = randomInt(10_000, 30_000);
	return await chooseDemoPorts(port).then(
		() => port,
		async () => await freeDemoPort(),
	);
}
