import type { TSchema } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import {
	Acknowledgement,
	CrfRecord,
	CurpBody,
	CurpRecord,
	InvoiceAcknowledgement,
	InvoiceBody,
	QueryRecord,
	RfcBody,
	RfcCalculatorBody,
	RfcCalculatorRecord,
	RfcRecord,
	TaxProfileBody,
} from '../../contract/taxQuery';
import { departureFrom } from '../../contract/check';
import { Refusal } from '../errors';
import type { People } from '../people';
import type { ReservedIdentity } from '../people/reserved';
import { outcomesFor } from './outcomes';
import { clientTypeOf, type Results } from './results';
import type { QueryStore } from './store';

interface Parts {
	people: People;
	results: Results;
	store: QueryStore;
	reserved: ReservedIdentity[];
}

/** The sandbox's own limit; none is shown (§8). */
const MAX_PERIODS = 60;

const isDayOfMonth = (year: number, month: number, day: number) =>
	new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;

const schemaOf = (summary: string, body: TSchema, answer: TSchema) => ({
	schema: { tags: ['Query'], summary, body, response: { 200: answer } },
});

/** The months from one to the other, both included, as YYYY-MM; not many more than may be asked for at once. */
function monthsBetween(from: string, to: string): string[] {
	const [firstYear, firstMonth] = from.split('-').map(Number);
	const [lastYear, lastMonth] = to.split('-').map(Number);
	const count = (lastYear - firstYear) * 12 + lastMonth - firstMonth + 1;
	return Array.from({ length: Math.min(count, MAX_PERIODS + 1) }, (_, index) =>
		new Date(Date.UTC(firstYear, firstMonth - 1 + index)).toISOString().slice(0, 7),
	);
}

/** The POST queries (§4.2 to §4.11). */
export function queryRoutes(app: FastifyInstance, { people, results, store, reserved }: Parts) {
	const profiles = new Set<string>();
	const { now, later } = outcomesFor(reserved);

	function needCompany(rfc: string): void {
		if (clientTypeOf(rfc) !== 'PM') {
			throw new Refusal(400, '"rfc" in the body: must be that of a company', 'rfc');
		}
	}

	function needProfile(rfc: string): void {
		if (profiles.has(rfc)) return;
		throw new Refusal(
			409,
			'There is no tax profile for this RFC; create one with POST /query/tax/profile first',
			'rfc',
		);
	}

	/** Held to what the documents show of a record with a result. */
	function held(schema: TSchema, record: QueryRecord): QueryRecord {
		const departure = record.status === 'SUCCESS' ? departureFrom(schema, record) : undefined;
		if (departure) {
			throw new Refusal(500, `The contract was broken: "${departure.field}": ${departure.message}`);
		}
		return record;
	}

	const acknowledged = ({ _id }: QueryRecord) => ({
		message: 'The query was accepted; its result is delivered to the webhook',
		queryId: _id,
	});

	app.post<{ Body: RfcCalculatorBody }>(
		'/query/rfc-calculator',
		schemaOf('RFC of a natural person', RfcCalculatorBody, RfcCalculatorRecord),
		async ({ body }) => {
			const { name, firstLastName, secondLastName = '', day, month, year } = body;
			if (!isDayOfMonth(year, month, day)) {
				throw new Refusal(400, '"day" in the body: this month has no such day', 'day');
			}
			const birthDate = [year, month, day]
				.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0'))
				.join('-');
			const { rfc } = people.withName({ name, firstLastName, secondLastName, birthDate });
			return store.answer('RFC_CALCULATOR', 'PF', body, {
				status: 'SUCCESS',
				response: { rfc },
				state: {},
			});
		},
	);

	app.post<{ Body: CurpBody }>(
		'/query/curp-data',
		schemaOf('Personal data and RFC of a CURP', CurpBody, QueryRecord),
		async ({ body }) => {
			const outcome = now(body.curp, () => results.curp(body.curp));
			return held(CurpRecord, store.answer('CURP', 'PF', body, outcome));
		},
	);

	app.post<{ Body: TaxProfileBody }>(
		'/query/tax/profile',
		schemaOf('Create the tax profile that the tax/* queries need', TaxProfileBody, QueryRecord),
		async ({ body: { rfc } }) => {
			const outcome = now(rfc, () => ({ rfc, message: 'The tax profile was created' }));
			if (outcome.status === 'SUCCESS') profiles.add(rfc);
			return store.answer('TAX_PROFILE', clientTypeOf(rfc), { rfc }, outcome);
		},
	);

	app.post<{ Body: RfcBody }>(
		'/query/tax/csf',
		schemaOf('Fiscal situation; needs a tax profile', RfcBody, QueryRecord),
		async ({ body }) => {
			needProfile(body.rfc);
			const outcome = now(body.rfc, () => results.fiscalSituation(body.rfc));
			return store.answer('CSF', clientTypeOf(body.rfc), body, outcome);
		},
	);

	/** The queries that are acknowledged: by RFC … */
	const byRfc: Array<{
		path: string;
		summary: string;
		service: string;
		before?: (rfc: string) => void;
		response: (rfc: string) => object;
		state?: (rfc: string) => Record<string, unknown>;
		schema?: TSchema;
	}> = [
		{
			path: '/query/company-shareholders',
			summary: 'Shareholders of a company',
			service: 'COMPANY_SHAREHOLDERS',
			before: needCompany,
			response: (rfc) => results.shareholders(rfc),
		},
		{
			path: '/query/crf',
			summary: 'Certificate of the fiscal regimes',
			service: 'CRF',
			response: (rfc) => results.fiscal(rfc, true),
			state: (rfc) => results.fiscalState(rfc),
			schema: CrfRecord,
		},
		{
			path: '/query/rfc-data',
			summary: 'Detailed data of an RFC',
			service: 'RFC',
			response: (rfc) => results.fiscal(rfc, false),
			state: (rfc) => results.fiscalState(rfc),
			schema: RfcRecord,
		},
		{
			path: '/query/tax/compliance-opinion',
			summary: 'Compliance opinion (32D); needs a tax profile',
			service: 'COMPLIANCE_OPINION',
			before: needProfile,
			response: (rfc) => results.complianceOpinion(rfc),
		},
	];
	for (const { path, summary, service, before, response, state, schema } of byRfc) {
		app.post<{ Body: RfcBody }>(
			path,
			schemaOf(summary, RfcBody, Acknowledgement),
			async ({ body }) => {
				const { rfc } = body;
				before?.(rfc);
				const outcome = later(rfc, () => response(rfc), state?.(rfc));
				const record = store.acknowledge(service, clientTypeOf(rfc), body, outcome);
				if (schema) held(schema, { ...record, ...outcome });
				return acknowledged(record);
			},
		);
	}

	/** … and by CURP. */
	app.post<{ Body: CurpBody }>(
		'/query/job-history',
		schemaOf('Employment history of a CURP', CurpBody, Acknowledgement),
		async ({ body }) => {
			const outcome = later(body.curp, () => results.jobHistory(body.curp));
			return acknowledged(store.acknowledge('JOB_HISTORY', 'PF', body, outcome));
		},
	);

	app.post<{ Body: InvoiceBody }>(
		'/query/tax/invoice',
		schemaOf('Invoices of a taxpayer, by month', InvoiceBody, InvoiceAcknowledgement),
		async ({ body: { rfc, from, to } }) => {
			needProfile(rfc);
			if (from.slice(0, 7) > to.slice(0, 7)) {
				throw new Refusal(400, '"from" in the body: is later than "to"', 'from');
			}
			if (to.slice(0, 7) > new Date().toISOString().slice(0, 7)) {
				throw new Refusal(400, '"to" in the body: lies in the future', 'to');
			}
			const periods = monthsBetween(from, to);
			if (periods.length > MAX_PERIODS) {
				throw new Refusal(400, `"from" in the body: more than ${MAX_PERIODS} months`, 'from');
			}
			const clientType = clientTypeOf(rfc);
			return {
				message: 'The query was accepted; its results are delivered to the webhook',
				results: periods.map((period) => {
					const outcome = later(rfc, () => results.invoices(rfc, period));
					const { _id, status } = store.acknowledge(
						'INVOICE',
						clientType,
						{ rfc, period },
						outcome,
					);
					return { queryId: _id, period, status };
				}),
			};
		},
	);
}
