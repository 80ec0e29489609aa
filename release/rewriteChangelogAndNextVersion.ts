/** CHANGELOG.md, as https://keepachangelog.com has it. */

const UNRELEASED = /^## \[?Unreleased\]?.*$/im;

/** Returns what stands under *Unreleased*. Throws if there is nothing to release. */
export function extractUnreleasedNotes(changelog: string): string {
	const heading = UNRELEASED.exec(changelog);
	if (!heading) throw new Error('CHANGELOG.md has no "## [Unreleased]".');
	const after = changelog.slice(heading.index + heading[0].length);
	const notes = after.split(/^(?:## |\[[^\]]+\]: )/m)[0].trim();
	if (!/^- /m.test(notes)) throw new Error('CHANGELOG.md has nothing under "## [Unreleased]".');
	return notes;
}

/** The changelog with what was unreleased under the version, and an empty *Unreleased* above it. */
export function moveUnreleasedUnderVersion(
	changelog: string,
	version: string,
	date: string,
): string {
	extractUnreleasedNotes(changelog);
	return changelog.replace(UNRELEASED, `## [Unreleased]\n\n## [${version}] - ${date}`);
}

const STEPS = ['major', 'minor', 'patch'];

/** `wanted` is major, minor, patch or a version of its own. Throws if that is not later than `current`. */
export function resolveRequestedVersion(current: string, wanted: string): string {
	const parts = current.split('.').map(Number);
	const step = STEPS.indexOf(wanted);
	if (step >= 0) {
		return parts.map((part, at) => (at < step ? part : at === step ? part + 1 : 0)).join('.');
	}
	if (!/^\d+\.\d+\.\d+$/.test(wanted)) {
		throw new Error(`"${wanted}" is not a version: name major, minor, patch, or e.g. 1.2.3.`);
	}
	const differs = wanted.split('.').map((part, at) => Number(part) - parts[at]);
	if ((differs.find((difference) => difference !== 0) ?? 0) <= 0) {
		throw new Error(`${wanted} is not later than ${current}.`);
	}
	return wanted;
}
