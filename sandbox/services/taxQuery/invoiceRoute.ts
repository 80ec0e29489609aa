import type { FastifyInstance } from 'fastify';
import { InvoiceAcknowledgement, InvoicesBody } from '../../../contract/taxQuery';
import type { SandboxContext } from '../../context';
import { clientTypeOfRfc } from '../../data/taxQueryResults';
import { OPERATION_PATHS_AND_SERVICE_CODES } from '../../apiMapping';
import { withResponseMapper } from '../../plugins/contractValidation';

/** The sandbox's own limit; none is shown (TQ §8). */
const MAX_PERIODS = 60;

/** Both ends are included, as YYYY-MM. It stops soon after the maximum. */
function monthsBetween(from: string, to: string): string[] {
	const [firstYear, firstMonth] = from.split('-').map(Number);
	const [lastYear, lastMonth] = to.split('-').map(Number);
	const count = (lastYear - firstYear) * 12 + lastMonth - firstMonth + 1;
	return Array.from({ length: Math.min(count, MAX_PERIODS + 1) }, (_, index) =>
		new Date(Date.UTC(firstYear, firstMonth - 1 + index)).toISOString().slice(0, 7),
	);
}

/** TQ §4.11: one query for each month of the period. */
export function registerInvoicesRoute(app: FastifyInstance, context: SandboxContext): void {
	const { clock, variant, outcomes, profiles, queries, results } = context;
	const operation = 'getInvoices';
	app.post<{ Body: Record<string, unknown> }>(
		variant.path(operation),
		{
			schema: {
				tags: ['Query'],
				summary: 'Invoices of a taxpayer, by month',
				body: variant.body(operation, InvoicesBody),
				response: {
					200: withResponseMapper(InvoiceAcknowledgement, ({ message, results: accepted }) => ({
						message,
						results: accepted.map((one) =>
							variant.underOwnNames({ ...one, status: variant.status(one.status) }),
						),
					})),
				},
			},
		},
		async ({ body }) => {
			const query = variant.read(operation, InvoicesBody, body) as InvoicesBody;
			const { rfc, from, to } = query;
			profiles.need(rfc);
			const today = clock.iso().slice(0, 10);
			if (from.slice(0, 7) > to.slice(0, 7) || (from.length === to.length && from > to)) {
				throw variant.refusal(operation, 'from', 'is later than the end');
			}
			if (to.slice(0, 7) > today.slice(0, 7)) {
				throw variant.refusal(operation, 'to', 'lies in the future');
			}
			const periods = monthsBetween(from, to);
			if (periods.length > MAX_PERIODS) {
				throw variant.refusal(operation, 'from', `more than ${MAX_PERIODS} months`);
			}
			const clientType = clientTypeOfRfc(rfc);
			const days = { from: from.padEnd(10, '-01'), to: to.length === 7 ? `${to}-31` : to, today };
			return {
				message: 'The query was accepted; its results are delivered to the webhook',
				results: periods.map((period) => {
					const { _id, status } = queries.acknowledge(
						OPERATION_PATHS_AND_SERVICE_CODES[operation].service,
						clientType,
						{ ...query, period },
						outcomes.later(rfc, () => results.invoices(rfc, period, days)),
					);
					return { queryId: _id, period, status };
				}),
			};
		},
	);
}
