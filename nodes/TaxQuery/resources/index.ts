import type { Resource } from '../../shared/operations/operation';
import { company } from './company';
import { connection } from './diagnose/connection';
import { identifier } from './identifierCheck';
import { person } from './person';
import { query } from './query';
import { taxAuthority } from './taxAuthority';
import { taxpayer } from './taxpayer';

export const resources: Resource[] = [
	taxpayer,
	person,
	company,
	taxAuthority,
	query,
	identifier,
	connection,
];
