import { CredentialError } from '../../../../nodes/shared/credentials/credentialError';
import { classify, type Outcome } from '../../../../nodes/shared/transport/classify';
import { creditProfile, taxQuery } from '../../../../nodes/shared/transport/service';

const json = { 'content-type': 'application/json' };
const answer = (status: number, body: unknown = {}, headers = {}): Outcome => ({
	answer: { status, headers, body },
});
const judge = (method: string, outcome: Outcome, service: typeof taxQuery = taxQuery) =>
	classify(outcome, { service, method, secrets: ['s3cret'] });

/** What becomes of a GET and of a POST: again and when, or the end; `unsure` if it may have been accepted. */
const table: Array<[string, Outcome, string, string]> = [
	['a 429', answer(429), 'after the reset', 'after the reset'],
	['a 401', answer(401), 'with a new token', 'with a new token'],
	['a 500', answer(500), 'after a pause', 'unsure'],
	['a 503', answer(503), 'after a pause', 'unsure'],
	['a 302', answer(302), 'the end', 'unsure'],
	['a 303', answer(303), 'the end', 'unsure'],
	['a 408', answer(408), 'the end', 'unsure'],
	...[301, 307, 308].map((status): (typeof table)[number] => [
		`a ${status}`,
		answer(status),
		'the end',
		'the end',
	]),
	...[400, 402, 403, 404, 409, 418, 422].map((status): (typeof table)[number] => [
		`a ${status}`,
		answer(status),
		'the end',
		'the end',
	]),
	...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].map((code): (typeof table)[number] => [
		code,
		{ fault: code },
		'after a pause',
		'after a pause',
	]),
	...[
		'EHOSTUNREACH',
		'ENETUNREACH',
		'ECONNRESET',
		'ETIMEDOUT',
		'EPIPE',
		'ERR_CANCELED',
		'ERR_SSL_BAD_RECORD_TYPE',
		'',
	].map((code): (typeof table)[number] => [
		`the fault "${code}"`,
		{ fault: code },
		'after a pause',
		'unsure',
	]),
	...['CERT_HAS_EXPIRED', 'EPROTO', 'SELF_SIGNED_CERT_IN_CHAIN'].map(
		(code): (typeof table)[number] => [code, { fault: code }, 'the end', 'the end'],
	),
	['JSON that was cut off', answer(200, '{"a":', json), 'after a pause', 'unsure'],
	['a web page', answer(200, '<html>', { 'content-type': 'text/html' }), 'the end', 'unsure'],
	['no body', answer(204, ''), 'the end', 'unsure'],
	['null', answer(200, null, json), 'the end', 'unsure'],
	['a number', answer(200, 17, json), 'the end', 'unsure'],
	['too much', { tooLarge: { maxBytes: 5_242_880 } }, 'the end', 'unsure'],
	['JSON', answer(200, [{ a: 1 }]), 'the body', 'the body'],
	[
		'a login that may pass',
		{ refusal: new CredentialError('a', '', true) },
		...pair('with a login'),
	],
	['a login that was refused', { refusal: new CredentialError('b', '') }, ...pair('the end')],
];

function pair(what: string): [string, string] {
	return [what, what];
}

function verdictOf(method: string, outcome: Outcome): string {
	const verdict = judge(method, outcome);
	if ('body' in verdict) return 'the body';
	if ('again' in verdict) return verdict.again;
	return verdict.problem.mayHaveBeenAccepted ? 'unsure' : 'the end';
}

describe('what to do after', () => {
	it.each(table)('%s', (_, outcome, get, post) => {
		expect([verdictOf('GET', outcome), verdictOf('POST', outcome)]).toEqual([get, post]);
	});

	it('a 401 of a service whose token is pasted', () => {
		const verdict = classify(answer(401), { service: creditProfile, method: 'GET', secrets: [] });
		expect(verdict).not.toHaveProperty('again');
	});
});

describe('every problem', () => {
	const problems = table
		.flatMap(([name, outcome]) => ['GET', 'POST'].map((method) => ({ name, method, outcome })))
		.map((row) => ({ ...row, verdict: judge(row.method, row.outcome) }))
		.filter(({ verdict }) => 'problem' in verdict);

	it.each(problems)('tells what to do: $method after $name', ({ method, verdict, outcome }) => {
		if (!('problem' in verdict) || 'refusal' in outcome) return;
		expect(verdict.problem.message).toMatch(/^(The|No safe TLS)[^.]+$/);
		if (method === 'POST' && verdict.problem.httpCode === '404') return; // the operation says what
		expect(verdict.problem.description).toMatch(/^[A-Z].{10,}\.$/);
		expect(verdict.problem.description).not.toMatch(/\.\.| {2}/);
	});

	it('tells what the service said, without a secret', () => {
		const verdict = judge('POST', answer(500, { error: { message: 'no: s3cret' } }));
		expect(verdict).toMatchObject({
			problem: {
				description: expect.stringMatching(/The service says: "no: \*\*\*"\.$/) as string,
			},
		});
	});

	it('does not read an error body that is nested without end', () => {
		let body = {};
		for (let i = 0; i < 50_000; i++) body = { error: body };
		expect(judge('GET', answer(400, body))).toHaveProperty('problem');
	});
});
