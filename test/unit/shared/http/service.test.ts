import type { ICredentialDataDecryptedObject, INodePropertyOptions } from 'n8n-workflow';
import { CreditProfileApi } from '../../../../credentials/CreditProfileApi.credentials';
import { TaxQueryApi } from '../../../../credentials/TaxQueryApi.credentials';
import { creditProfile, taxQuery } from '../../../../nodes/shared/http/services';

/** A key is searched only in the response to the request that sends it. */
const ELSEWHERE = ['creditBureauBClientPrivateKey'];

it.each([
	['Credit Profile', new CreditProfileApi(), creditProfile],
	['Tax Query', new TaxQueryApi(), taxQuery],
] as const)(
	'no response of %s may repeat a secret of its credential',
	(_name, credential, service) => {
		const secrets = credential.properties
			.filter(
				({ typeOptions, type, name }) =>
					typeOptions?.password && type !== 'hidden' && !ELSEWHERE.includes(name),
			)
			.map(({ name }) => name);
		const fields = credential.properties.map(({ name, type: kind, options, default: unset }) => {
			if (secrets.includes(name)) return [name, `{"secret":"of-${name}"}`];
			const all = (options as INodePropertyOptions[] | undefined)?.map(({ value }) => value);
			return [name, kind === 'multiOptions' ? all : kind === 'boolean' ? true : unset] as const;
		});
		const found = service.secrets(Object.fromEntries(fields) as ICredentialDataDecryptedObject);
		const known = (name: string) => found.some((one) => one.includes(`of-${name}`));
		expect(secrets.length).toBeGreaterThan(4);
		expect(secrets.filter((name) => !known(name))).toEqual([]);
	},
);

describe('the points per second of the query service', () => {
	it.each([
		[{}, 10],
		[{ pointsPerSecond: 20 }, 20],
		[{ pointsPerSecond: 'many' }, NaN],
	])('of %j are %p for all processes', (fields, points) => {
		expect(taxQuery.pointsPerSecond(fields)).toBe(points);
	});

	it.each([
		[{}, 1],
		[{ processes: 4 }, 4],
		[{ processes: 0 }, 1],
		[{ processes: 'some' }, 1],
	])('by %j are shared by %p processes', (fields, processes) => {
		expect(taxQuery.processes?.(fields)).toBe(processes);
	});
});
