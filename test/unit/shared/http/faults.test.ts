import { describeFault, toNetworkFault } from '../../../../nodes/shared/errors/networkFault';

const failed = (code: string, more: object = {}) =>
	Object.assign(new Error(code), { code, ...more });
const connecting = (code: string) => failed(code, { syscall: 'connect' });
/** An error as n8n's helper hands it over: its own, around that of its HTTP client, around that of Node. */
const wrapped = (cause: Error, more: object = {}) => {
	const { code } = cause as Error & { code?: string };
	const client = Object.assign(new Error('client', { cause }), { code, ...more });
	return Object.assign(new Error('n8n', { cause: client }), { httpCode: code });
};
const several = (...errors: Error[]) =>
	Object.assign(new AggregateError(errors), { code: (errors[0] as Error & { code: string }).code });

describe('a fault shows that nothing was sent', () => {
	it.each<[string, Error]>([
		['one address that refuses', connecting('ECONNREFUSED')],
		['one address that never answers', connecting('ETIMEDOUT')],
		['one address to which no route leads', connecting('EHOSTUNREACH')],
		['several that never answer', several(connecting('ETIMEDOUT'), connecting('ETIMEDOUT'))],
		[
			'one that refuses, and one that never answers',
			several(connecting('ECONNREFUSED'), connecting('ETIMEDOUT')),
		],
		[
			'one that never answers, and one that refuses',
			several(connecting('ETIMEDOUT'), connecting('ECONNREFUSED')),
		],
		['no route to either address', several(connecting('ENETUNREACH'), connecting('EHOSTUNREACH'))],
		['a host name that is not resolved in time', failed('ETIMEOUT', { syscall: 'getaddrinfo' })],
		['a host name that is unknown', failed('ENOTFOUND')],
		['a certificate that has expired', failed('CERT_HAS_EXPIRED')],
	])('%s', (_what, error) => {
		expect([error, wrapped(error)].map((one) => toNetworkFault(one).isUnsent)).toEqual([
			true,
			true,
		]);
	});
});

describe('a fault leaves it open whether the request was sent', () => {
	it.each<[string, Error]>([
		['a reset', failed('ECONNRESET', { syscall: 'read' })],
		['a broken pipe', failed('EPIPE', { syscall: 'write' })],
		['a timeout without a call', failed('ETIMEDOUT')],
		['a route that is lost later', failed('EHOSTUNREACH', { syscall: 'read' })],
		[
			'several faults of which one came later',
			several(connecting('ETIMEDOUT'), failed('ECONNRESET')),
		],
		['several faults of which nothing is known', several(failed('ETIMEDOUT'), failed('ETIMEDOUT'))],
		['no code', new Error('socket hang up')],
	])('%s', (_what, error) => {
		expect([error, wrapped(error)].map((one) => toNetworkFault(one).isUnsent)).toEqual([
			undefined,
			undefined,
		]);
	});

	it.each<[string, object]>([
		['that ended', { destroyed: true, socket: null }],
		['that goes on', { destroyed: false, socket: null }],
	])('a request %s, whatever its private parts show', (_what, request) => {
		expect(toNetworkFault(wrapped(failed('ERR_CANCELED'), { request })).isUnsent).toBeUndefined();
	});

	it('in a circle of causes', () => {
		const error = failed('ECONNRESET');
		error.cause = new Error('outer', { cause: error });
		expect(toNetworkFault(error)).toEqual({ code: 'ECONNRESET' });
	});
});

it('says that the service was not reached only where that is known', () => {
	expect(describeFault('service', { code: 'ETIMEDOUT', isUnsent: true })).toContain(
		'was not reached',
	);
	expect(describeFault('service', { code: 'ETIMEDOUT' })).toContain('did not answer in time');
});
