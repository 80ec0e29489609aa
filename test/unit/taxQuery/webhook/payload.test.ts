import fc from 'fast-check';
import { parsePayload } from '../../../../nodes/TaxQuery/webhook/payload';

const read = (value: unknown) => parsePayload(Buffer.from(JSON.stringify(value)), { record: {} });
const record = { _id: 'a1', service: 'CRF', status: 'SUCCESS', query: { rfc: 'GODE561231GR8' } };

describe('a delivery is recognised', () => {
	it.each<[string, unknown, object[]]>([
		['as a bare record', record, [{ queryId: 'a1', record }]],
		['as a query id alone', { queryId: 'a1' }, [{ queryId: 'a1', record: { _id: 'a1' } }]],
		[
			'as an id with status',
			{ id: 'a1', status: 'SUCCESS' },
			[{ queryId: 'a1', record: { _id: 'a1', status: 'SUCCESS' } }],
		],
		['in an envelope "data"', { data: record }, [{ queryId: 'a1', record }]],
		['in an envelope "query"', { query: record }, [{ queryId: 'a1', record }]],
		['in an envelope "payload"', { payload: record }, [{ queryId: 'a1', record }]],
		['in an envelope "result"', { result: record }, [{ queryId: 'a1', record }]],
		[
			'with the kind of event beside it',
			{ event: 'query.finished', data: record },
			[{ queryId: 'a1', record, event: 'query.finished', envelope: { event: 'query.finished' } }],
		],
		[
			"by the record's id and not the event's",
			{ id: 'evt-9', type: 'done', data: record },
			[{ queryId: 'a1', record, event: 'done', envelope: { id: 'evt-9', type: 'done' } }],
		],
		[
			'by its own id, whatever ids its result holds',
			{ queryId: 'a1', status: 'SUCCESS', result: [{ id: 'invoice-1' }] },
			[
				{
					queryId: 'a1',
					record: { _id: 'a1', status: 'SUCCESS', result: [{ id: 'invoice-1' }] },
					envelope: { result: [{ id: 'invoice-1' }] },
				},
			],
		],
		[
			'by its own id, whatever queries it speaks of beside',
			{ queryId: 'a1', data: { queryId: 'b2', status: 'SUCCESS' } },
			[
				{
					queryId: 'a1',
					record: { _id: 'a1', data: { queryId: 'b2', status: 'SUCCESS' } },
					envelope: { data: { queryId: 'b2', status: 'SUCCESS' } },
				},
			],
		],
		[
			'in an envelope that also names the id',
			{ queryId: 'a1', data: record },
			[{ queryId: 'a1', record, envelope: { queryId: 'a1' } }],
		],
		['in two envelopes', { payload: { data: record } }, [{ queryId: 'a1', record }]],
		[
			'as an array of different shapes',
			[record, { queryId: 'b2' }, { data: { ...record, _id: 'c3' } }],
			[
				{ queryId: 'a1', record },
				{ queryId: 'b2', record: { _id: 'b2' } },
				{ queryId: 'c3', record: { ...record, _id: 'c3' } },
			],
		],
		[
			'as an array in an envelope',
			{ event: 'batch', data: [record] },
			[{ queryId: 'a1', record, event: 'batch', envelope: { event: 'batch' } }],
		],
	])('%s', (_, body, announced) => {
		expect(read(body)).toEqual({ announced });
	});

	it.each<[string, unknown, object?]>([
		['event.data.object', { id: 'evt_9', type: 'done', data: { object: record } }],
		['a notification with _id', { _id: 'ntf9', type: 'done', data: record }],
		['its status', { _id: 'ntf9', type: 'done', status: 'sent', data: record }],
		[
			'its status, and a bare ID',
			{ id: 'e', type: 'done', status: 'sent', data: { queryId: 'a1' } },
		],
		['a list "queries"', { id: 'evt9', event: 'done', queries: [record] }],
		['a list "results"', { id: 'evt9', event: 'done', results: [record] }],
		['a list "items"', { id: 'evt9', event: 'done', items: [record] }],
		['"event"', { id: 'evt9', type: 'done', event: record }],
		['"record"', { id: 'evt9', event: 'done', record }],
		['"object"', { id: 'evt9', event: 'done', object: record }],
		['"body", with another object before it', { type: 'done', data: { id: 'x' }, body: record }],
	])("by the query's ID and not the envelope's: %s", (_, body) => {
		expect(read(body)).toMatchObject({ announced: [{ queryId: 'a1', event: 'done' }] });
	});

	it.each<[string, unknown]>([
		['a query of its own', { _id: 'a1', status: 'SUCCESS', items: [{ id: 'i1' }, { id: 'i2' }] }],
		['a status of its own', { _id: 'a1', service: 'X', result: [{ id: 'i1', status: 'VIGENTE' }] }],
		['an ID that is no object', { id: 'a1', status: 'SUCCESS', result: { id: 'i1' } }],
		['its response', { _id: 'a1', response: { data: { _id: 'b2', service: 'X', status: 'Y' } } }],
		['_id alone', { _id: 'a1', type: 'done', data: { rfc: 'GODE561231GR8' } }],
		['id alone', { id: 'a1' }],
		['query_id', { query_id: 'a1' }],
		['queryID', { queryID: 'a1', status: 'SUCCESS' }],
		['query_id beside the ID of a document', { _id: 'd1', query_id: 'a1', status: 'SUCCESS' }],
		['query_id in an envelope', { _id: 'ntf9', payload: { query_id: 'a1' } }],
	])('by the outer ID where what is inside is no surer: %s', (_, body) => {
		expect(read(body)).toMatchObject({ announced: [{ queryId: 'a1' }] });
	});

	it.each<[string, unknown]>([
		['any key', { constancia: record }],
		['any key in any key', { evento: { consulta: record } }],
		['any key, in a list', { consultas: [record] }],
		['a key of a record', { response: record }],
		['any key beside an organization', { organization: { id: 5, status: 'active' }, x: record }],
		[
			'any key beside what an event has',
			{ id: 'e', status: 'sent', x: { _id: 'a1', status: 'S' } },
		],
		['two keys, the same query', { before: { queryId: 'a1' }, now: { queryId: 'a1' } }],
		[
			'JSON in a text, as SNS sends it',
			{ Type: 'N', MessageId: 'm', Message: JSON.stringify(record) },
		],
		[
			'JSON in a text, as a CloudEvent has it',
			{ id: 'e', source: 's', data: JSON.stringify(record) },
		],
		['JSON in a text alone', JSON.stringify(record)],
	])('under %s', (_, body) => {
		expect(read(body)).toMatchObject({ announced: [{ queryId: 'a1' }] });
	});

	it('by nothing but the ID where it is JSON in a text', () => {
		const body = { Message: JSON.stringify(record) };
		expect(read(body)).toEqual({ announced: [{ queryId: 'a1', record: { _id: 'a1' } }] });
	});

	it('by itself, whatever JSON its texts hold', () => {
		const text = JSON.stringify({ queryId: 'b2', status: 'SUCCESS' });
		expect(read({ event: 'done', data: record, note: text })).toMatchObject({
			announced: [{ queryId: 'a1' }],
		});
	});

	it.each<[string, unknown]>([
		['the ID of an event', { id: 'evt_1', type: 'query.finished', data: { rfc: 'GODE561231GR8' } }],
		['an ID of nobody knows what', { id: 'evt_1', source: 'https://example.com' }],
		['two queries under two keys', { a: { queryId: 'a1' }, b: { queryId: 'b2' } }],
		['JSON in a text in JSON in a text', { m: JSON.stringify({ m: JSON.stringify(record) }) }],
		['JSON in two texts', { a: JSON.stringify(record), b: JSON.stringify({ queryId: 'b2' }) }],
		['a key that is not allowed, in a text', { m: '{"queryId":"a1","__proto__":{}}' }],
	])('not by %s', (_, body) => {
		expect(read(body)).toMatchObject({ status: 400 });
	});

	it('not by an object of more fields than JavaScript reads quickly', () => {
		const response = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`f${at}`, 0]));
		expect(read({ queryId: 'a1', response })).toMatchObject({ status: 400 });
	});

	it('with more results than are taken, in a list beside the ID of an event', () => {
		const queries = Array.from({ length: 500 }, (_, index) => ({ ...record, _id: `q${index}` }));
		expect(read({ id: 'evt9', queries })).toMatchObject({ status: 413 });
	});

	it.each(['-NxAbC', '_abc', '-_9'])('by an ID that begins with a mark: %s', (queryId) => {
		expect(read({ queryId })).toMatchObject({ announced: [{ queryId }] });
	});

	it.each(['.', '..', '.a', 'a/b', '/a', '__proto__', '~a', ':a'])('not by %s', (queryId) => {
		expect(read({ queryId })).toMatchObject({ status: 400 });
	});

	it('with a byte order mark before it', () => {
		const body = Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(JSON.stringify(record))]);
		expect(parsePayload(body, { record: {} })).toEqual({ announced: [{ queryId: 'a1', record }] });
	});

	it('with 5 MB in its result', () => {
		const large = { ...record, response: { pdf: 'x'.repeat(5 * 1024 * 1024) } };
		expect(read(large)).toEqual({ announced: [{ queryId: 'a1', record: large }] });
	});
});

describe('whatever arrives', () => {
	it('is read without a throw, and names only ids that can stand in a path', () => {
		fc.assert(
			fc.property(fc.oneof(fc.uint8Array(), fc.json().map(Buffer.from)), (bytes) => {
				const payload = parsePayload(Buffer.from(bytes), { record: {} });
				const ids = 'announced' in payload ? payload.announced.map((each) => each.queryId) : [];
				return ids.every((id) => encodeURIComponent(id).replace(/%3A/g, ':') === id);
			}),
			{ numRuns: 1000 },
		);
	});

	it('with an id anywhere never reaches another path', () => {
		fc.assert(
			fc.property(fc.string(), (id) => {
				const payload = read({ _id: id });
				return !('announced' in payload) || /^[\w-][\w.:~-]*$/.test(id);
			}),
			{ numRuns: 1000 },
		);
	});
});
