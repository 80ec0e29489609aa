import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

/** CHROMIUM_PATH names one elsewhere. */
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

/** Path of a Chromium on this machine, or of the one that Playwright has installed; undefined without either. */
export const findChromium = () =>
	[...chromiumPaths(process.platform, process.env), chromium.executablePath()].find(existsSync);
