import { hasUnreleasedNotes, releaseNotes } from '../../../release/changelog';

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Something new.

## [0.1.0] - 2026-11-21

- The beginning.
`;

describe('the changelog at a release', () => {
	it('puts the unreleased notes under the version and its day', () => {
		const released = releaseNotes(CHANGELOG, '0.2.0', '2026-12-01');
		expect(released).toContain(
			'## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- Something new.\n\n## [0.1.0]',
		);
		expect([CHANGELOG, released].map(hasUnreleasedNotes)).toEqual([true, false]);
	});

	it('has nothing to release without the heading', () => {
		expect(hasUnreleasedNotes('# Changelog\n\n- Something new.\n')).toBe(false);
	});
});
