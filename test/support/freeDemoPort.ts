import { chooseDemoPorts, freePorts } from '../../demo/chooseFreePorts';

/** A random port for a demo under test, whose next one is free as well. */
export async function freeDemoPort(): Promise<number> {
	const [port] = await freePorts(1);
	return await chooseDemoPorts(port).then(
		() => port,
		async () => await freeDemoPort(),
	);
}
