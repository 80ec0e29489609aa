import type { INodeParameters } from 'n8n-workflow';
import { getCrfParameters, operationParameters, rfcs, taxQuerySandbox } from './support';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const [RFC] = rfcs(1);
const crf = (rfc: string) => getCrfParameters({ rfc });
const curp = (value: string) => operationParameters('person', 'getCurpData', { curp: value });
const born = (birthDate: string) =>
	operationParameters('taxpayer', 'calculateRfc', {
		name: 'Emma',
		firstLastName: 'Gómez',
		birthDate,
	});
const invoices = (parameters: INodeParameters) =>
	operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...parameters });
const check = (parameters: INodeParameters) =>
	operationParameters('identifier', 'check', parameters);

/** What an operator reads about an item with a mistake in it. */
describe('a mistake', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);

	it.each<[INodeParameters, RegExp]>([
		[crf('GODE561331GR8'), /^'RFC' cannot be right: .*date/],
		[crf('GODE5612'), /^'RFC' cannot be right: .*8 characters/],
		[
			crf('GODE56O231GR8'),
			/^'RFC' cannot be right: Position 7 of the RFC holds "O".* did you mean the digit 0\?/,
		],
		[crf('GODE561231'), /^'RFC' has no homoclave/],
		[crf('XAXX010101000'), /^'RFC' is the generic one, which belongs to nobody/],
		[crf(' '), /^'RFC' is empty or not a text/],
		[
			operationParameters('company', 'getShareholders', { rfc: RFC }),
			/^'RFC' is that of a person, but only companies have shareholders/,
		],
		[curp('PEXL990821HSRRXS04'), /^'CURP' cannot be right: .*digit/],
		[curp('PEXL990821HZZRXS05'), /^'CURP' cannot be right: .*state/],
		[curp('PEXL990821H5RRXS05'), /Position 12 of the CURP holds "5".* did you mean the letter S\?/],
		[
			curp('PEXL850821HSRRXSO1'),
			/Position 17 of the CURP is the letter O, so the birth year would be 2085.* did you mean the digit 0\?/,
		],
		[{ ...born('1990-01-31'), firstLastName: 'N/A' }, /^'First Last Name' is no name/],
		[born('1990-02-31'), /^'Birth Date' is not a date that exists/],
		[born('={{ 20820 }}'), /^'Birth Date' is a number, not a date/],
		[born('2999-01-01'), /^'Birth Date' lies in the future/],
		[born('1890-01-01'), /^'Birth Date' lies before 1900/],
		[
			invoices({ period: 'months', firstMonth: '2026-02', lastMonth: '2026-01' }),
			/^The period runs backwards/,
		],
		[
			invoices({ period: 'months', firstMonth: '2020-01', lastMonth: '2025-01' }),
			/^The period has 61 months, but at most 60 are asked for/,
		],
		[
			getCrfParameters({ rfc: RFC }, { checkIdentifiers: 'no' }),
			/^'Check Identifiers First' is not in the list/,
		],
		[getCrfParameters({ rfc: RFC, reuse: 'soon' }), /^'Reuse Results' is not in the list/],
		[
			getCrfParameters({ rfc: RFC, reuse: 'hours', reuseHours: 'soon' }),
			/^'Reuse Results Up To \(Hours\)' must be a number, 0 or more/,
		],
		[
			getCrfParameters({ rfc: RFC }, { additionalBodyFields: '[1]' }),
			/^'Additional Body Fields' must be a JSON object/,
		],
		[
			operationParameters('query', 'getAll', { filters: { queries: ['crf'] } }),
			/^The filter 'Queries' holds an entry that is not in its list/,
		],
		[check({}), /^There is nothing to check/],
	])('in %j is named', async (parameters, message) => {
		const { error } = await sandbox.run(parameters);
		expect(error?.message).toMatch(message);
	});

	it('is summed up where identifiers are checked', async () => {
		const { items } = await sandbox.run(
			check({
				rfc: ' gode 561231-gr8 ',
				curp: 'sabc560626mdflrn01',
				nss: '12345678903',
				zipCode: '06700',
				state: 'CMX',
				options: { simplify: false },
			}),
		);
		expect(items[0].json.summary).toBe(
			'RFC: valid; CURP: valid; NSS: valid; Zip Code: valid; They do not fit each other',
		);
	});

	it.each([
		['', /^The RFC is empty\.$/],
		['EISE850314', /^The RFC has no homoclave: .*\.$/],
		['XAXX010101000', /^This generic RFC, .*finds nothing\.$/],
		['GODE561331GR8', /^In the RFC, positions 7–8 give month 13; .*\.$/],
		['GODE56O231GR8', /^Position 7 of the RFC holds "O"; .* did you mean the digit 0\?$/],
	])('is one sentence in the row of %j', async (rfc, problem) => {
		const { items } = await sandbox.run(check({ rfc: '={{ $json.rfc }}' }), { items: [{ rfc }] });
		expect(items[0].json.problem).toMatch(problem);
	});
});

describe('the body of a paid query', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);

	it('holds composed letters, no invisible characters, and single blanks', async () => {
		const { error } = await sandbox.run({
			...born('1990-01-31'),
			name: ' Jose\u0301\u200b  Mari\u0301a ',
			firstLastName: 'Mun\u0303oz\ufeff',
			secondLastName: 'De\u00a0la\u2003Pen\u0303a\u00ad',
		});
		const [{ body }] = await sandbox.requests('/api/query/rfc-calculator');
		expect(error).toBeUndefined();
		expect(body).toMatchObject({
			name: 'José María'.normalize('NFC'),
			firstLastName: 'Muñoz'.normalize('NFC'),
			secondLastName: 'De la Peña'.normalize('NFC'),
		});
	});
});
