import {
	resolveRequestedVersion,
	extractUnreleasedNotes,
	moveUnreleasedUnderVersion,
} from '../../../release/rewriteChangelogAndNextVersion';

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Something new.

## [0.1.0] - 2026-11-21

- The beginning.
`;

describe('the changelog at a release', () => {
	it('returns the unreleased changes alone', () => {
		expect(extractUnreleasedNotes(CHANGELOG)).toBe('### Added\n\n- Something new.');
	});

	it('puts that under the version and its day', () => {
		const released = moveUnreleasedUnderVersion(CHANGELOG, '0.2.0', '2026-12-01');
		expect(released).toContain(
			'## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- Something new.\n\n## [0.1.0]',
		);
	});

	it.each([
		['has no such heading', '# Changelog\n\n- Something new.\n'],
		['says nothing under it', '# Changelog\n\n## [Unreleased]\n\n## [0.1.0]\n\n- Old.\n'],
	])('stops the release if it %s', (_what, changelog) => {
		expect(() => moveUnreleasedUnderVersion(changelog, '0.2.0', '2026-12-01')).toThrow(
			'CHANGELOG.md',
		);
	});
});

describe('the next version', () => {
	it.each([
		['0.1.9', 'patch', '0.1.10'],
		['0.1.9', 'minor', '0.2.0'],
		['0.1.9', 'major', '1.0.0'],
		['0.1.9', '0.3.0', '0.3.0'],
	])('after %s, requested as %s, is %s', (current, wanted, next) => {
		expect(resolveRequestedVersion(current, wanted)).toBe(next);
	});

	it.each(['0.1.9', '0.1.8', '0.0.10', 'newest', '1.0'])('is never %s after 0.1.9', (wanted) => {
		expect(() => resolveRequestedVersion('0.1.9', wanted)).toThrow(wanted);
	});
});
