import { hasEntries, parseJson } from '../../shared/utils/json';

const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i;
/** The field with the JSON, in a form that has other fields, too. */
const DATA = 'data';

/**
 * Returns the JSON in a form: its only field, the JSON field within the others, or all fields as an object. Any other
 * body, and a form that cannot be read, comes back as it is.
 */
export async function extractFormJson(body: Buffer, contentType = ''): Promise<Buffer> {
	if (!FORM.test(contentType)) return body;
	const fields = await readFields(body, contentType);
	if (!fields) return body;
	const isJson = ([, text]: Field) => hasEntries(parseJson(text));
	const [json, second] = fields.filter(isJson);
	if (!json || second) return Buffer.from(JSON.stringify(Object.fromEntries(fields)));
	const others = fields.filter((field) => field !== json);
	if (others.length === 0) return Buffer.from(json[1]);
	return Buffer.from(JSON.stringify({ ...Object.fromEntries(others), [DATA]: parseJson(json[1]) }));
}

type Field = [name: string, text: string];

/** Returns the fields of a form; undefined if it is not well-formed, or has a field twice. */
async function readFields(body: Buffer, contentType: string): Promise<Field[] | undefined> {
	const response = new Response(body, { headers: { 'content-type': contentType } });
	try {
		const form = await response.formData();
		const fields = await Promise.all(
			[...form].map(async ([name, value]): Promise<Field> => [
				name,
				typeof value === 'string' ? value : await value.text(),
			]),
		);
		const hasTwice = new Set(fields.map(([name]) => name)).size < fields.length;
		return hasTwice || fields.length === 0 ? undefined : fields;
	} catch {
		return undefined;
	}
}
