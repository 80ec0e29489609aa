import { existsSync } from 'node:fs';
import type { Processes } from '../../../demo/processes';

/** Where Chromium or Chrome is installed. CHROMIUM_PATH names one elsewhere. */
export function chromiumPaths(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string[] {
	const byPlatform: Partial<Record<NodeJS.Platform, string[]>> = {
		darwin: [
			'/Applications/Chromium.app/Contents/MacOS/Chromium',
			'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
		],
		win32: [env.LOCALAPPDATA, env.PROGRAMFILES, env['PROGRAMFILES(X86)']].flatMap((folder) =>
			folder
				? ['Chromium', 'Google\\Chrome'].map(
						(name) => `${folder}\\${name}\\Application\\chrome.exe`,
					)
				: [],
		),
	};
	return [
		...(env.CHROMIUM_PATH ? [env.CHROMIUM_PATH] : []),
		...(byPlatform[platform] ?? [
			'/usr/bin/chromium-headless-shell', // Debian's: without the windows that nobody sees
			'/usr/bin/chromium',
			'/usr/bin/chromium-browser',
			'/usr/bin/google-chrome',
			'/snap/bin/chromium',
		]),
	];
}

/** Path of a Chromium on this machine, if there is one. */
export const findChromium = () => chromiumPaths(process.platform, process.env).find(existsSync);

/** Installs Debian's Chromium where it is missing and may be installed. Returns why not, in one line, if so. */
export async function ensureChromium(
	processes: Processes,
	log: (line: string) => void,
): Promise<string | undefined> {
	if (findChromium()) return undefined;
	if (!existsSync('/usr/bin/apt-get')) return 'there is no Chromium, and no apt-get to install it';
	if (process.getuid?.() !== 0) return 'there is no Chromium, and only root may install it';
	log('Installing Chromium by apt-get (1 to 3 minutes) …');
	try {
		const onLine = (line: string) => /^(Get|Unpacking|Setting up)/.test(line) && log(line);
		const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
		await processes.run('apt-get', ['update', '-qq'], { env });
		await processes.run(
			'apt-get',
			['install', '-y', '--no-install-recommends', 'chromium-headless-shell', 'fonts-liberation'],
			{ env, onLine },
		);
		return findChromium() ? undefined : 'apt-get has installed it at an unknown place';
	} catch (error) {
		return `apt-get could not install Chromium: ${(error as Error).message.split('\n').at(-1)}`;
	}
}
