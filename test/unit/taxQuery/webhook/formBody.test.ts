import { extractFormJson } from '../../../../nodes/TaxQuery/webhook/extractFormJson';

const RECORD = { _id: 'a1', status: 'SUCCESS', response: { RazonSocial: 'PEÑA & «HIJOS» + 1' } };
const JSON_TEXT = JSON.stringify(RECORD);
const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';

const urlencoded = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const multipart = (fields: Record<string, string>, more = '') =>
	`${Object.entries(fields)
		.map(
			([name, value]) =>
				`--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`,
		)
		.join('')}--b--\r\n`;

const extract = async (body: string, contentType: string) =>
	JSON.parse((await extractFormJson(Buffer.from(body), contentType)).toString()) as unknown;

describe('a form', () => {
	describe.each([
		['URL-encoded', URLENCODED, urlencoded],
		['URL-encoded, its charset named', `${URLENCODED}; charset=UTF-8`, urlencoded],
		['URL-encoded, in capitals', URLENCODED.toUpperCase(), urlencoded],
		['multipart', MULTIPART, multipart],
		['multipart, as a file', MULTIPART, (fields: Record<string, string>) => multipart(fields, '; filename="a.json"\r\nContent-Type: application/json')],
	] as const)('%s', (_, type, write) => {
		it.each(['payload', 'data', 'json', 'anything'])(
			'is its JSON field if it has no other: %s',
			async (name) => {
				expect(await extract(write({ [name]: JSON_TEXT }), type)).toEqual(RECORD);
			},
		);

		it('is an envelope around its JSON field if it has others', async () => {
			const fields = { event: 'query.finished', payload: JSON_TEXT, attempt: '1' };
			expect(await extract(write(fields), type)).toEqual({
				event: 'query.finished',
				attempt: '1',
				data: RECORD,
			});
		});

		it('is all of its fields if none holds JSON', async () => {
			const fields = { queryId: 'a1', status: 'SUCCESS' };
			expect(await extract(write(fields), type)).toEqual(fields);
		});

		it('is all of its fields, as text, if several hold JSON', async () => {
			const fields = { one: JSON_TEXT, two: '{"queryId":"a2"}' };
			expect(await extract(write(fields), type)).toEqual(fields);
		});
	}); // prettier-ignore

	it.each([
		['a field twice', 'payload=%7B%22_id%22%3A1%7D&payload=%7B%22_id%22%3A2%7D', URLENCODED],
		['nothing', '', URLENCODED],
		['a part that is cut off', multipart({ payload: JSON_TEXT }).slice(0, 60), MULTIPART],
		['no boundary', multipart({ payload: JSON_TEXT }), 'multipart/form-data'],
	])('that cannot be read comes back as it is: %s', async (_, body, type) => {
		expect((await extractFormJson(Buffer.from(body), type)).toString()).toBe(body);
	});
});

it.each(['application/json', undefined, 'text/plain; a=application/x-www-form-urlencoded'])(
	'a body of another type is no form: %s',
	async (type) => {
		const body = Buffer.from('payload={"a":1}');
		expect(await extractFormJson(body, type)).toBe(body);
	},
);
