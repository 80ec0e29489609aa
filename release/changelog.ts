/** CHANGELOG.md, in the format of https://keepachangelog.com. */

const UNRELEASED = /^## \[?Unreleased\]?.*$/im;

/** Returns whether there is anything to release. */
export function hasUnreleasedNotes(changelog: string): boolean {
	const [, after = ''] = changelog.split(UNRELEASED);
	return /^- /m.test(after.split(/^## /m)[0]);
}

/** Returns the changelog with the unreleased notes under the version, and an empty *Unreleased* above it. */
export const releaseNotes = (changelog: string, version: string, date: string): string =>
	changelog.replace(UNRELEASED, `## [Unreleased]\n\n## [${version}] - ${date}`);
