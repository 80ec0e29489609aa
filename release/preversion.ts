// Run by `npm version` before it changes anything: stops a release that has no notes, or an address that nobody reads.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasUnreleasedNotes } from './changelog';
import { findPlaceholders } from './placeholders';

const root = join(__dirname, '..');
const problems = findPlaceholders(root);
if (!hasUnreleasedNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))) {
	problems.push('CHANGELOG.md: add what changed under "## [Unreleased]"');
}
if (problems.length > 0) {
	console.error(`Before a release:\n- ${problems.join('\n- ')}`);
	process.exitCode = 1;
}
