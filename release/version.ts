// Run by `npm version` between the new version number and its commit.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../package.json';
import { releaseNotes } from './changelog';

const path = join(__dirname, '..', 'CHANGELOG.md');
const date = new Date().toISOString().slice(0, 10);
writeFileSync(path, releaseNotes(readFileSync(path, 'utf8'), version, date));
