import { simplifyRecord } from '../../../nodes/shared/queries';

const record = (service: string, response: object, more: object = {}) => ({
	_id: 'q1',
	service,
	status: 'SUCCESS',
	metadata: { clientType: 'PF', query: { rfc: 'GODE561231GR8' } },
	query: { rfc: 'GODE561231GR8' },
	response,
	organizationSlug: 'lender',
	createdAt: '2026-01-02T03:04:05.000Z',
	updatedAt: '2026-01-02T03:04:06.000Z',
	...more,
});
const shape = {
	queryId: 'q1',
	status: 'SUCCESS',
	rfc: 'GODE561231GR8',
	clientType: 'PF',
	createdAt: '2026-01-02T03:04:05.000Z',
	updatedAt: '2026-01-02T03:04:06.000Z',
};

describe('a simplified query record', () => {
	it('of the RFC calculator holds the names that were asked for and the RFC', () => {
		const query = { name: 'Emma', firstLastName: 'Gómez', day: 31, month: 12, year: 1956 };
		const simple = simplifyRecord(record('RFC_CALCULATOR', { rfc: 'GODE561231GR8' }, { query }));
		expect(simple).toEqual({ ...shape, service: 'RFC_CALCULATOR', ...query });
	});

	it('of CRF is flat and typed, with dates as ISO beside their original', () => {
		const regimes = [{ clave: '605' }];
		const response = {
			RFC: 'GODE561231GR8',
			RazonSocial: 'EMMA GOMEZ DIAZ',
			ValidoDesde: '2024-05-06T07:08:09',
			ValidoHasta: '2028-05-06T07:08:09',
			Valido: true,
			CodigoPostal: '06700',
			EstadoISO: 'CMX',
			RegimenesFiscales: regimes,
		};
		expect(simplifyRecord(record('CRF', response))).toEqual({
			...shape,
			service: 'CRF',
			legalName: 'EMMA GOMEZ DIAZ',
			valid: true,
			validFrom: '2024-05-06T07:08:09',
			validFromOriginal: '2024-05-06T07:08:09',
			validUntil: '2028-05-06T07:08:09',
			validUntilOriginal: '2028-05-06T07:08:09',
			zipCode: '06700',
			state: 'CMX',
			regimes,
		});
	});

	it.each([
		['31/12/1956', '1956-12-31'],
		['1/2/2003', '2003-02-01'],
		['unknown', null],
	])('of CURP has the birth date %s as %s', (fechaNacimiento, birthDate) => {
		const simple = simplifyRecord(record('CURP', { fechaNacimiento }));
		expect([simple.birthDate, simple.birthDateOriginal]).toEqual([birthDate, fechaNacimiento]);
	});

	it('of a service whose result is not shown has its own names, flat', () => {
		const response = { status: 'ACTIVO', address: { city: 'León' }, regimes: [1] };
		expect(simplifyRecord(record('CSF', response))).toEqual({
			...shape,
			service: 'CSF',
			resultStatus: 'ACTIVO',
			addressCity: 'León',
			regimes: [1],
		});
	});

	it.each([
		['PENDING', { pending: true }],
		['IN_PROGRESS', { pending: true }],
		['FAILED', { failed: true }],
		['NOT_FOUND', { failed: true }],
		['PROCESSED', {}],
	])('with status %s tells what becomes of it', (status, marks) => {
		const { pending, failed } = simplifyRecord(record('CRF', {}, { status }));
		expect({ ...(pending && { pending }), ...(failed && { failed }) }).toEqual(marks);
	});

	it('that failed keeps what the service said', () => {
		const response = { message: 'No taxpayer was found' };
		expect(simplifyRecord(record('CRF', response, { status: 'FAILED' })).message).toBe(
			'No taxpayer was found',
		);
	});

	it('reads the request from the metadata where it is not echoed', () => {
		expect(simplifyRecord(record('CRF', {}, { query: undefined })).rfc).toBe('GODE561231GR8');
	});
});
