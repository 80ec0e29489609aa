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
import { clientTypeOf, type Results } from './results';
import type { Outcome, QueryStore } from './store';

interface Parts {
	people: People;
	results: Results;
	store: QueryStore;
	reserved: ReservedIdentity[];
}

const isLeapDay = (year: number, month: number, day: number) =>
	new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;

/** The months from one to the other, both included, as YYYY-MM. */
function monthsBetween(from: string, to: string): string[] {
	const months: string[] = [];
	let [year, month] = from.split('-').map(Number);
	for (let name = from.slice(0, 7); name <= to.slice(0, 7);) {
		months.push(name);
		month = (month % 12) + 1;
		if (month === 1) year++;
		name = `${year}-${String(month).padStart(2, '0')}`;
	}
	return months;
}

/** The eleven POST queries (§4.2 to §4.11). */
export function queryRoutes(app: FastifyInstance, { people, results, store, reserved }: Parts) {
	const profiles = new Set<string>();

	const behaviourOf = (identifier: string) =>
		reserved.find(({ rfc, curp, companyRfc }) => [rfc, curp, companyRfc].includes(identifier))
			?.behaviour ?? 'success';

	/** Refuses at once what cannot be found, and ends badly what is reserved to fail. */
	function now(identifier: string, response: () => object, state = {}): Outcome {
		const behaviour = behaviourOf(identifier);
		if (behaviour === 'notFound') throw new Refusal(404, 'No taxpayer was found for it');
		if (behaviour === 'pending') return { status: 'PENDING', response: {}, state: {} };
		if (behaviour === 'failed') return failed('The source did not answer');
		return { status: 'SUCCESS', response: { ...response() }, state };
	}

	function later(identifier: string, response: () => object, state = {}): Outcome {
		const behaviour = behaviourOf(identifier);
		if (behaviour === 'notFound') return failed('No taxpayer was found for it');
		if (behaviour === 'failed') return failed('The source did not answer');
		if (behaviour === 'pending') return { status: 'PENDING', response: {}, state: {} };
		return {
			status: 'SUCCESS',
			response: { ...response() },
			state,
			slow: behaviour === 'slow',
		};
	}

	const failed = (message: string): Outcome => ({
		status: 'FAILED',
		response: { message },
		state: {},
	});

	function needCompany(rfc: string): void {
		if (clientTypeOf(rfc) !== 'PM') {
			throw new Refusal(
				400,
				'"rfc" in the body: is a person’s; shareholders have companies',
				'rfc',
			);
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
		{ schema: { body: RfcCalculatorBody, response: { 200: RfcCalculatorRecord } } },
		async ({ body }) => {
			const { name, firstLastName, secondLastName = '', day, month, year } = body;
			if (!isLeapDay(year, month, day)) {
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
		{ schema: { body: CurpBody, response: { 200: QueryRecord } } },
		async ({ body }) => {
			const outcome = now(body.curp, () => results.curp(body.curp));
			return held(CurpRecord, store.answer('CURP', 'PF', body, outcome));
		},
	);

	app.post<{ Body: TaxProfileBody }>(
		'/query/tax/profile',
		{ schema: { body: TaxProfileBody, response: { 200: QueryRecord } } },
		async ({ body: { rfc } }) => {
			const outcome = now(rfc, () => ({ rfc, message: 'The tax profile was created' }));
			if (outcome.status === 'SUCCESS') profiles.add(rfc);
			return store.answer('TAX_PROFILE', clientTypeOf(rfc), { rfc }, outcome);
		},
	);

	app.post<{ Body: RfcBody }>(
		'/query/tax/csf',
		{ schema: { body: RfcBody, response: { 200: QueryRecord } } },
		async ({ body }) => {
			needProfile(body.rfc);
			const outcome = now(body.rfc, () => results.fiscalSituation(body.rfc));
			return store.answer('CSF', clientTypeOf(body.rfc), body, outcome);
		},
	);

	/** The queries that are acknowledged: by RFC … */
	const byRfc: Array<{
		path: string;
		service: string;
		before?: (rfc: string) => void;
		response: (rfc: string) => object;
		state?: (rfc: string) => Record<string, unknown>;
		schema?: TSchema;
	}> = [
		{
			path: '/query/company-shareholders',
			service: 'COMPANY_SHAREHOLDERS',
			before: needCompany,
			response: (rfc) => results.shareholders(rfc),
		},
		{
			path: '/query/crf',
			service: 'CRF',
			response: (rfc) => results.fiscal(rfc, true),
			state: (rfc) => results.fiscalState(rfc),
			schema: CrfRecord,
		},
		{
			path: '/query/rfc-data',
			service: 'RFC',
			response: (rfc) => results.fiscal(rfc, false),
			state: (rfc) => results.fiscalState(rfc),
			schema: RfcRecord,
		},
		{
			path: '/query/tax/compliance-opinion',
			service: 'COMPLIANCE_OPINION',
			before: needProfile,
			response: (rfc) => results.complianceOpinion(rfc),
		},
	];
	for (const { path, service, before, response, state, schema } of byRfc) {
		app.post<{ Body: RfcBody }>(
			path,
			{ schema: { body: RfcBody, response: { 200: Acknowledgement } } },
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
		{ schema: { body: CurpBody, response: { 200: Acknowledgement } } },
		async ({ body }) => {
			const outcome = later(body.curp, () => results.jobHistory(body.curp));
			return acknowledged(store.acknowledge('JOB_HISTORY', 'PF', body, outcome));
		},
	);

	app.post<{ Body: InvoiceBody }>(
		'/query/tax/invoice',
		{ schema: { body: InvoiceBody, response: { 200: InvoiceAcknowledgement } } },
		async ({ body: { rfc, from, to } }) => {
			needProfile(rfc);
			if (from.slice(0, 7) > to.slice(0, 7)) {
				throw new Refusal(400, '"from" in the body: is later than "to"', 'from');
			}
			if (to.slice(0, 7) > new Date().toISOString().slice(0, 7)) {
				throw new Refusal(400, '"to" in the body: lies in the future', 'to');
			}
			const clientType = clientTypeOf(rfc);
			return {
				message: 'The query was accepted; its results are delivered to the webhook',
				results: monthsBetween(from, to).map((period) => {
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
