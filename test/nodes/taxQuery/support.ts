import type { FaultRule } from '../../../sandbox/plugins/faults';
import axios from 'axios';
import type { INodeParameters } from 'n8n-workflow';
import type { SandboxOptions } from '../../../sandbox';
import { curpOf } from '../../../sandbox/data/people/curp';
import type { ReservedIdentity } from '../../../sandbox/data/people/reserved';
import { checkDigitOf } from '../../../sandbox/data/people/rfc';
import type { BilledQuery } from '../../../sandbox/services/taxQuery/ledger';
import { runNodeInEngine, type NodeRunOptions } from '../../support/runNodeInEngine';
import { priceFieldsOf, toN8nCredentialLoginFields } from '../../support/credentialFields';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { until } from '../../support/until';
import { shiftAllClocks } from '../../support/clock';

export const CIEC = 'Ciec_Secret_9';

const dateOf = (index: number) =>
	new Date(Date.UTC(1950, 0, 1 + 7 * index)).toISOString().slice(0, 10);

/** Different RFCs of persons, all of them right. */
export const rfcs = (count: number): string[] =>
	Array.from({ length: count }, (_, index) => {
		const start = `GODE${dateOf(index).slice(2).replaceAll('-', '')}GR`;
		return start + checkDigitOf(start);
	});

/** One item for each RFC. */
export const itemsForRfcs = (wanted: string[]) => wanted.map((rfc) => ({ rfc }));

/** Different CURPs, all of them right. */
export const curps = (count: number): string[] =>
	Array.from({ length: count }, (_, index) =>
		curpOf({
			name: 'Emma',
			firstLastName: 'Gómez',
			secondLastName: 'Díaz',
			birthDate: dateOf(index),
			sex: 'M',
			state: 'JC',
		}),
	);

let execution = 0;
let seed = 500;

/** A sandbox, what it bills, and the Tax Query node run against it: each run an execution of its own. */
export async function taxQuerySandbox(options: Partial<SandboxOptions> = {}) {
	// Each with ids of its own, as no service gives an id twice.
	const defaults = { rateLimit: 0, resultDelay: 0, documents: 0, seed: seed++ };
	const sandbox = await startSandboxWithHelpers({ ...defaults, ...options });
	const { data } = await sandbox.control.get<{ reserved: ReservedIdentity[] }>('/state');
	return {
		...sandbox,
		async ledger(): Promise<BilledQuery[]> {
			return (await sandbox.control.get<BilledQuery[]>('/ledger')).data;
		},
		async reset() {
			await sandbox.reset();
			await sandbox.control.delete('/ledger');
		},
		/** The identity that the sandbox reserves for a behaviour. */
		reserved(behaviour: ReservedIdentity['behaviour']): ReservedIdentity {
			return data.reserved.find((one) => one.behaviour === behaviour) as ReservedIdentity;
		},
		/** The service as another program of the same client sees it. */
		async elsewhere() {
			const { baseUrl, clientId, clientSecret } = sandbox.taxQuery;
			const login = { client_id: clientId, client_secret: clientSecret };
			const { data } = await axios.post<{ access_token: string }>(`${baseUrl}/oauth/token`, login);
			const headers = { Authorization: `Bearer ${data.access_token}` };
			return axios.create({ baseURL: baseUrl, headers });
		},
		/** Runs the node as fast as it can; `login` is the stored CIEC. */
		async run(
			parameters: INodeParameters,
			{
				login,
				apiMapping = {},
				prices,
				...rest
			}: Partial<NodeRunOptions> & {
				login?: Record<string, string>;
				apiMapping?: object;
				/** By the operation of a query type, in MXN. */
				prices?: Record<string, string>;
			} = {},
		) {
			return await runNodeInEngine({
				type: 'taxQuery',
				parameters,
				executionId: `tax-query-${++execution}`,
				credentials: {
					taxQueryApi: sandbox.credentials({
						taxQueryApi: {
							...{ pointsPerSecond: 0, apiMapping: JSON.stringify(apiMapping) },
							...(login && toN8nCredentialLoginFields(login.provider, login)),
							...(prices && priceFieldsOf(prices)),
						},
					}).taxQueryApi,
				},
				...rest,
			});
		},
	};
}

export type TaxQuerySandbox = Awaited<ReturnType<typeof taxQuerySandbox>>;

const LIST = '/api/query';
/** So long after it was sent the list would show a query. */
const LIST_LAG_MS = 61_000;

/**
 * Advances the clock beside a run with Send Again If Unsure. After each fruitless search, the list would surely show
 * the query; it does so `times` times.
 */
export async function passListLag(
	{ requests }: Pick<TaxQuerySandbox, 'requests'>,
	path: string,
	count: number,
): Promise<void> {
	for (let sent = 1; sent <= count; sent++) {
		await until(`query ${sent} sent`, async () => (await requests(path)).length >= sent);
		const polls = (await requests(LIST)).length;
		await until('it is looked for', async () => (await requests(LIST)).length > polls);
		shiftAllClocks(LIST_LAG_MS);
	}
}

/** Parameters of an operation. */
export const operationParameters = (
	resource: string,
	name: string,
	parameters: INodeParameters = {},
	options: INodeParameters = {},
): INodeParameters => ({
	resource,
	operation: name,
	...parameters,
	options: { ...(parameters.options as INodeParameters), ...options },
});

/** The CRF of each item's `rfc`. */
export const getCrfParameters = (parameters: INodeParameters = {}, options: INodeParameters = {}) =>
	operationParameters('taxpayer', 'getCrf', { rfc: '={{ $json.rfc }}', ...parameters }, options);

export const createTaxProfileParameters = (rfc: string): INodeParameters =>
	operationParameters('taxAuthority', 'createTaxProfile', { loginFrom: 'fields', rfc, ciec: CIEC });

/** The path of a query for the CRF at the sandbox. */
export const CRF_PATH = '/api/query/crf';
/** It meets every query for the CRF, unless `more` narrows it. */
export const buildCrfFaultRule = (
	fault: FaultRule['fault'],
	more: Partial<FaultRule> = {},
): FaultRule => ({
	path: CRF_PATH,
	method: 'POST',
	fault,
	...more,
});
/** It meets only one. */
export const buildNextCrfFaultRule = (fault: FaultRule['fault']) =>
	buildCrfFaultRule(fault, { times: 1 });
