/** CHANGELOG.md, in the format of https://keepachangelog.com. */

const UNRELEASED = /^## \[?Unreleased\]?.*$/im;

export function hasUnreleasedNotes(changelog: string): boolean {
	const [, after = ''] = changelog.split(UNRELEASED);
	return /^- /m.test(after.split(/^## /m)[0]);
}

/** The unreleased notes come under the version, with an empty *Unreleased* above it. */
export const releaseNotes = (changelog: string, version: string, date: string): string =>
	changelog.replace(UNRELEASED, `## [Unreleased]\n\n## [${version}] - ${date}`);
