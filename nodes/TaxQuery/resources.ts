import type { Resource } from '../shared/operation';
import { askingOperation } from './ask';
import { identifier } from './identifier';
import { kinds, type QueryKind } from './kinds';
import { query } from './query';

const asking = (name: string, value: QueryKind['resource']): Resource => ({
	name,
	value,
	operations: kinds.filter(({ resource }) => resource === value).map(askingOperation),
});

export const resources: Resource[] = [
	asking('Taxpayer (RFC)', 'taxpayer'),
	asking('Person (CURP)', 'person'),
	asking('Company', 'company'),
	asking('Tax Authority', 'taxAuthority'),
	query,
	identifier,
];
