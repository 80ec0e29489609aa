import type { TObject, TSchema } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { firstViolation } from '../../../contract/check';
import {
	Acknowledgement,
	CrfRecord,
	CurpOnlyBody,
	CurpRecord,
	QueryRecord,
	RfcOnlyBody,
	RfcCalculatorBody,
	RfcCalculatorRecord,
	RfcRecord,
	TaxProfileBody,
} from '../../../contract/taxQuery';
import type { SandboxContext } from '../../context';
import { clientTypeOfRfc, type ResultGenerator } from '../../data/taxQueryResults';
import { OPERATION_PATHS_AND_SERVICE_CODES, type OperationName } from '../../apiMapping';
import { HttpError } from '../../plugins/errors';
import { withResponseMapper } from '../../plugins/contractValidation';
import { registerInvoicesRoute } from './invoiceRoute';
import type { PlannedOutcome } from './queryStore';

/** A query about one RFC or CURP. */
interface QueryRoute {
	operation: OperationName;
	summary: string;
	body: TObject;
	about: 'rfc' | 'curp';
	/** Answers with the record at once; else it is acknowledged, and the record follows. */
	isImmediate?: boolean;
	needs?: 'company' | 'profile';
	response: (results: ResultGenerator, identifier: string) => object;
	/** Its state holds FISCAL_DATA (TQ §2.3). */
	hasFiscalState?: boolean;
	record?: TSchema;
}

const ROUTES: QueryRoute[] = [
	{
		operation: 'getShareholders',
		summary: 'Shareholders of a company',
		body: RfcOnlyBody,
		about: 'rfc',
		needs: 'company',
		response: (results, rfc) => results.shareholders(rfc),
	},
	{
		operation: 'getCrf',
		summary: 'Certificate of the fiscal regimes',
		body: RfcOnlyBody,
		about: 'rfc',
		response: (results, rfc) => results.fiscal(rfc, true),
		hasFiscalState: true,
		record: CrfRecord,
	},
	{
		operation: 'getRfcData',
		summary: 'Detailed data of an RFC',
		body: RfcOnlyBody,
		about: 'rfc',
		response: (results, rfc) => results.fiscal(rfc, false),
		hasFiscalState: true,
		record: RfcRecord,
	},
	{
		operation: 'getCurpData',
		summary: 'Personal data and RFC of a CURP',
		body: CurpOnlyBody,
		about: 'curp',
		isImmediate: true,
		response: (results, curp) => results.curp(curp),
		record: CurpRecord,
	},
	{
		operation: 'getEmploymentHistory',
		summary: 'Employment history of a CURP',
		body: CurpOnlyBody,
		about: 'curp',
		response: (results, curp) => results.jobHistory(curp),
	},
	{
		operation: 'createTaxProfile',
		summary: 'Create the tax profile that the tax queries need',
		body: TaxProfileBody,
		about: 'rfc',
		isImmediate: true,
		response: (_results, rfc) => ({ rfc, message: 'The tax profile was created' }),
	},
	{
		operation: 'getCsf',
		summary: 'Fiscal situation; needs a tax profile',
		body: RfcOnlyBody,
		about: 'rfc',
		isImmediate: true,
		needs: 'profile',
		response: (results, rfc) => results.fiscalSituation(rfc),
	},
	{
		operation: 'getComplianceOpinion',
		summary: 'Compliance opinion (32D); needs a tax profile',
		body: RfcOnlyBody,
		about: 'rfc',
		needs: 'profile',
		response: (results, rfc) => results.complianceOpinion(rfc),
	},
];

/** TQ §4.4 and §4.5 document a record as the answer, too. */
const MAYBE_IMMEDIATE: OperationName[] = ['getCrf', 'getRfcData'];

const isDayOfMonth = (year: number, month: number, day: number) =>
	new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;

/** The POST queries (TQ §4.2 to §4.11). */
export function registerQueryPostRoutes(app: FastifyInstance, context: SandboxContext): void {
	calculatorRoute(app, context);
	for (const route of ROUTES) aboutOne(app, context, route);
	registerInvoicesRoute(app, context);
}

function aboutOne(app: FastifyInstance, context: SandboxContext, route: QueryRoute): void {
	const { variant, options, outcomes, profiles, queries, results } = context;
	const { operation, summary, body: schema, about, needs, response, hasFiscalState } = route;
	const { service } = OPERATION_PATHS_AND_SERVICE_CODES[operation];
	const isImmediate =
		route.isImmediate ?? (options.immediateRecords && MAYBE_IMMEDIATE.includes(operation));

	/** The outcome of a query about this RFC or CURP, held to what the document shows of its record. */
	function outcomeOf(identifier: string): PlannedOutcome {
		const state = hasFiscalState ? results.fiscalState(identifier) : {};
		const make = () => response(results, identifier);
		return isImmediate
			? outcomes.now(identifier, make, state)
			: outcomes.later(identifier, make, state);
	}

	app.post<{ Body: Record<string, unknown> }>(
		variant.path(operation),
		{
			schema: {
				tags: ['Query'],
				summary,
				body: variant.body(operation, schema),
				response: {
					200: isImmediate
						? withResponseMapper(QueryRecord, (record) => variant.toResponse(record))
						: Acknowledgement,
				},
			},
		},
		async ({ body }) => {
			const query = variant.read(operation, schema, body);
			delete query.ciec; // a secret: neither recorded nor echoed
			const identifier = String(query[about]);
			const clientType = about === 'rfc' ? clientTypeOfRfc(identifier) : 'PF';
			if (needs === 'company' && clientType !== 'PM') {
				throw variant.refusal(operation, about, 'must be that of a company');
			}
			if (needs === 'profile') profiles.need(identifier);
			const outcome = outcomeOf(identifier);
			if (operation === 'createTaxProfile' && outcome.status === 'SUCCESS') {
				profiles.add(identifier);
			}
			const record = isImmediate
				? queries.answer(service, clientType, query, outcome)
				: queries.acknowledge(service, clientType, query, outcome);
			held(route.record, { ...record, ...outcome });
			return isImmediate ? record : acknowledged(record);
		},
	);
}

/** TQ §4.3 */
function calculatorRoute(app: FastifyInstance, { variant, people, queries }: SandboxContext): void {
	const operation = 'calculateRfc';
	app.post<{ Body: Record<string, unknown> }>(
		variant.path(operation),
		{
			schema: {
				tags: ['Query'],
				summary: 'RFC of a natural person',
				body: variant.body(operation, RfcCalculatorBody),
				response: {
					200: withResponseMapper(RfcCalculatorRecord, (record) => variant.toResponse(record)),
				},
			},
		},
		async ({ body }) => {
			const query = variant.read(operation, RfcCalculatorBody, body) as RfcCalculatorBody;
			const { name, firstLastName, secondLastName = '', day, month, year } = query;
			if (!isDayOfMonth(year, month, day)) {
				throw variant.refusal(operation, 'day', 'this month has no such day');
			}
			const birthDate = [year, month, day]
				.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0'))
				.join('-');
			const { rfc } = people.withName({ name, firstLastName, secondLastName, birthDate });
			const outcome: PlannedOutcome = {
				status: 'SUCCESS',
				response: { rfc },
				state: {},
				when: 'usual',
			};
			return queries.answer(
				OPERATION_PATHS_AND_SERVICE_CODES[operation].service,
				'PF',
				query,
				outcome,
			);
		},
	);
}

function held(schema: TSchema | undefined, record: QueryRecord): void {
	if (!schema || record.status !== 'SUCCESS') return;
	const violation = firstViolation(schema, record);
	if (!violation) return;
	throw new HttpError(500, `The contract was broken: "${violation.field}": ${violation.message}`);
}

const acknowledged = ({ _id }: QueryRecord) => ({
	message: 'The query was accepted; its result is delivered to the webhook',
	queryId: _id,
});
