import type { IDataObject } from 'n8n-workflow';
import type { StubRequest, StubResponse } from '../../support/stubServer';

export const LEGAL_NAME = 'EMMA GOMEZ DIAZ';

/** A finished CRF of a person, as a service records it. */
export const crfRecord = (_id: string, rfc: string, more: object = {}): IDataObject => ({
	_id,
	service: 'CRF',
	status: 'SUCCESS',
	query: { rfc },
	response: { RFC: rfc, RazonSocial: LEGAL_NAME },
	createdAt: new Date().toISOString(),
	...more,
});

interface Responses {
	/** The response to a query. */
	post: StubResponse;
	/** The rows of the list of queries. */
	rows?: unknown;
	/** The record of any query that is read by its ID. */
	byId?: unknown;
}

/** Responds to each kind of request in one way: no queries are listed by default, and none is there by its ID. */
export const responderByRequestKind =
	({ post, rows = [], byId }: Responses) =>
	({ method, path }: StubRequest): StubResponse => {
		if (method === 'POST') return post;
		if (path === '/api/query') return { body: rows };
		return byId === undefined ? { status: 404, body: {} } : { body: byId };
	};

/** The requests that made queries, without that of the token. */
export const queryPostsIn = (requests: StubRequest[]) =>
	requests.filter(({ method, path }) => method === 'POST' && path.startsWith('/api/query'));

/** Paths of the requests that read queries, the list among them. */
export const queryGetPathsIn = (requests: StubRequest[]) =>
	requests
		.filter(({ method, path }) => method === 'GET' && path.startsWith('/api/query'))
		.map(({ path }) => path);
