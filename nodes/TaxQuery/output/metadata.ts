import type { Run } from '../../shared/operations/operation';

/** n8n keeps 512 characters of one value, and warns in its log from 256 on. */
const METADATA_LENGTH = 255;

export function addToMetadataCount({ metadata }: Run, key: string, more: number): void {
	if (more > 0) metadata?.set(key, String(Number(metadata.get(key) || 0) + more));
}

/** By them the list of executions can be filtered by query ID. */
export function addToMetadataList({ metadata }: Run, key: string, more: string[]): void {
	const before = metadata?.get(key) ?? '';
	if (before.length >= METADATA_LENGTH - 1) return;
	const entries = [...new Set([...before.split(' '), ...more])].filter(Boolean);
	while (entries.join(' ').length > METADATA_LENGTH) entries.pop();
	const all = entries.join(' ');
	if (all !== before) metadata?.set(key, all);
}
