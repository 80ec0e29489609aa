import { mayRepeatAfter, problemOfFault } from '../../nodes/shared/errors';
import { taxQuery } from '../../nodes/shared/service';

describe('a POST that met a network fault', () => {
	it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])('is sent again after %s', (code) => {
		expect(mayRepeatAfter(code, 'POST')).toBe(true);
	});

	it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ERR_CANCELED', ''])(
		'is not sent again after "%s", and said to be unsure',
		(code) => {
			const { mayHaveBeenAccepted } = problemOfFault(taxQuery, 'POST', code);
			expect([mayRepeatAfter(code, 'POST'), mayHaveBeenAccepted]).toEqual([false, true]);
		},
	);

	it.each(['CERT_HAS_EXPIRED', 'EPROTO', 'SELF_SIGNED_CERT_IN_CHAIN'])(
		'is neither sent again nor unsure after %s',
		(code) => {
			const { mayHaveBeenAccepted } = problemOfFault(taxQuery, 'POST', code);
			expect([mayRepeatAfter(code, 'POST'), mayHaveBeenAccepted]).toEqual([false, undefined]);
		},
	);
});
