import fc from 'fast-check';
import { readPayload } from '../../../../nodes/TaxQuery/webhook/payload';

const read = (value: unknown) => readPayload(Buffer.from(JSON.stringify(value)));
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
			[{ queryId: 'a1', record, event: 'query.finished' }],
		],
		[
			"by the record's id and not the event's",
			{ id: 'evt-9', type: 'done', data: record },
			[{ queryId: 'a1', record, event: 'done' }],
		],
		[
			'by its own id, whatever ids its result holds',
			{ queryId: 'a1', status: 'SUCCESS', result: [{ id: 'invoice-1' }] },
			[{ queryId: 'a1', record: { _id: 'a1', status: 'SUCCESS', result: [{ id: 'invoice-1' }] } }],
		],
		[
			'in an envelope that also names the id',
			{ queryId: 'a1', data: record },
			[{ queryId: 'a1', record }],
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
			[{ queryId: 'a1', record, event: 'batch' }],
		],
	])('%s', (_, body, announced) => {
		expect(read(body)).toEqual({ announced });
	});

	it('with a byte order mark before it', () => {
		const body = Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(JSON.stringify(record))]);
		expect(readPayload(body)).toEqual({ announced: [{ queryId: 'a1', record }] });
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
				const payload = readPayload(Buffer.from(bytes));
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
				return !('announced' in payload) || /^[A-Za-z0-9][\w.:~-]*$/.test(id);
			}),
			{ numRuns: 1000 },
		);
	});
});
