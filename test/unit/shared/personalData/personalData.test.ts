import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import {
	protectionOf,
	readPersonalData,
	type Protection,
} from '../../../../nodes/shared/personalData/personalData';
import { personalKind } from '../../../../nodes/shared/personalData/personalKeys';

const RFC = 'GODE561231GR8';
const CURP = 'GODE561231HVZRSN09';
const KEY = 'a key of 16 or more';
const masked = protectionOf('masked', undefined) as Protection;
const pseudonyms = protectionOf('pseudonym', KEY) as Protection;

describe('Personal Data', () => {
	describe('masked', () => {
		const values: Array<[what: string, row: IDataObject, hidden: IDataObject]> = [
			['an RFC', { rfc: RFC }, { rfc: 'GODE5612******' }],
			['a company\'s RFC', { RFC: 'ABC150314XY9' }, { RFC: 'ABC1503******' }],
			['a CURP', { curp: CURP }, { curp: 'GODE5612******' }],
			['an RFC without homoclave', { basicRFC: 'GODE561231' }, { basicRFC: 'GODE5612******' }],
			['a name', { nombre: 'María José' }, { nombre: 'M*** J***' }],
			['a company', { RazonSocial: 'Acme S.A.' }, { RazonSocial: 'A*** S***' }],
			['an e-mail address', { email: 'eva@example.com' }, { email: 'e***@example.com' }],
			['a phone', { phone: '55 1234 5678' }, { phone: '******78' }],
			['a phone as number', { telefono: 5512345678 }, { telefono: '******78' }],
			['an NSS', { nss: '12345678903' }, { nss: '******03' }],
			['a zip code', { CodigoPostal: '06600' }, { CodigoPostal: '******' }],
			['a birth date', { birthDate: '1956-12-31' }, { birthDate: '******' }],
			['a link to a file', { url: 'https://files.example.com/ine.pdf' }, { url: '******' }],
			['an address with all in it', { domicilio: { calle: 'Roble 5', pisos: [2, true, null] } }, { domicilio: { calle: 'R*** 5***', pisos: ['******', true, null] } }],
			['who has a part in it, by the object\'s own keys', { solicitante: { id: 7, nombre: 'Eva', status: 'ok' }, clientes: ['Eva Luna'] }, { solicitante: { id: 7, nombre: 'E***', status: 'ok' }, clientes: ['E*** L***'] }],
			['who a service is for, and where', { 'Nombre del titular del servicio': 'Emma Gómez', 'Domicilio del servicio': 'Roble 5', telefonoServicio: '5512345678' }, { 'Nombre del titular del servicio': 'E*** G***', 'Domicilio del servicio': 'R*** 5***', telefonoServicio: '******78' }],
			['a list of names', { partes: ['Eva Luna'] }, { partes: ['E*** L***'] }],
			['a name with an @ in it', { tradeName: 'ABARROTES @ JUAN PEREZ', nombre: 'CAF@ EVA' }, { tradeName: 'A*** @*** J*** P***', nombre: 'C*** E***' }],
			['an e-mail address with a name', { email: 'eva@example.com (Eva Luna)' }, { email: 'e*** (*** L***' }],
			['an identifier in a form', { message: `rfc=${RFC}&curp=${CURP}&next` }, { message: 'rfc=GODE5612******&curp=GODE5612******&next' }],
			['JSON within a text', { data: '{"nombre":"Eva Luna","n":[{"rfc":"' + RFC + '"}]}' }, { data: '{"nombre":"E*** L***","n":[{"rfc":"GODE5612******"}]}' }],
			['identifiers in a text', { message: `${RFC} and ${CURP.toLowerCase()}, eva@example.com` }, { message: 'GODE5612****** and gode5612******, e***@example.com' }],
			['identifiers as people write them', { message: 'gode-561231-gr8, GODE 561231 GR8, GODE561231, GODE-561231 and GODE561231-HVZRSN-09' }, { message: 'gode5612******, GODE5612******, GODE5612******, GODE5612****** and GODE5612******' }],
			['who has a part in a company or an invoice', { shareholders: ['JUAN PEREZ'], socio: 'Ana Ruiz', emisor: 'Acme', receptor: { uso: 'G03' }, empresa: 'Acme' }, { shareholders: ['J*** P***'], socio: 'A*** R***', emisor: 'A***', receptor: { uso: 'G03' }, empresa: 'A***' }],
			['an identifier that is a key', { byRfc: { [RFC]: 1 } }, { byRfc: { 'GODE5612******': '******' } }],
			['the title of a field as key', { 'Correo electrónico': 'eva@example.com' }, { 'Correo electrónico': 'e***@example.com' }],
		]; // prettier-ignore
		it.each(values)('%s', (_what, row, hidden) => expect(masked.json(row)).toEqual(hidden));

		const harmless: Array<[what: string, row: IDataObject]> = [
			['the id of a query', { queryId: 'a1b2c3d4-1111-4222-8333-abc900101abc' }],
			['the name of a collection', { id: 1, name: 'Solicitudes', slug: 'solicitudes', tags: ['PF'] }],
			['statuses', { curpStatus: 'RCN', certificateStatus: 'Activo', EstadoCertificado: 'Activo' }],
			['a state', { state: 'CMX', stateName: 'Ciudad de México', Estado: 'Ciudad de México' }],
			['what looks like an RFC without homoclave and is all of a text', { externalReference: 'LOAN261122' }],
			['references and query IDs that hold a date', { externalReference: 'LOAN-261122-001', queryId: 'crf-261122-007', message: 'Query crf-261122-007 of LOAN-261122-1, page 261122 una of 100' }],
			['a text that speaks of roles', { status: 'socio', message: 'The partner is a company, page 261122 of 100' }],
			['numbers and dates', { total: 12.5, createdAt: '2026-11-21T00:00:00.000Z', isActive: true }],
			['how many have a part in it', { clientes: 120, aval: 1, 'Total cliente': 7 }],
			['a schema', { schema: { properties: { rfc: { title: 'RFC', type: 'string' } } } }],
			['JSON within a text that tells of nobody', { data: '{"a": 1.50, "b": [] }', list: '[1]', open: '{' }],
			['nothing', { rfc: null, curp: '', email: undefined }],
		]; // prettier-ignore
		it.each(harmless)('leaves %s', (_what, row) => expect(masked.json(row)).toEqual(row));
	});

	describe('as pseudonyms', () => {
		it('are the same for the same value, wherever it stands and however it is written', () => {
			const { rfc, message } = pseudonyms.json({ rfc: ` ${RFC.toLowerCase()}`, message: RFC });
			expect({ rfc, same: rfc === message }).toEqual({
				rfc: expect.stringMatching(/^p_[0-9a-f]{24}$/),
				same: true,
			});
		});

		it('are others under another key', () => {
			const others = protectionOf('pseudonym', `${KEY}!`) as Protection;
			expect(others.text(RFC)).not.toBe(pseudonyms.text(RFC));
		});

		it.each([undefined, '', 'short'])('are refused with the key %j', (key) =>
			expect(() => protectionOf('pseudonym', key)).toThrow('Pseudonyms need the Pseudonym Key'),
		);
	});

	it('hides in a text what was asked for, however it is written there', () => {
		const protection = protectionOf('masked', undefined) as Protection;
		protection.learn('name', 'Emma');
		protection.learn('firstLastName', 'Gómez');
		protection.learn('secondLastName', 'De');
		protection.learn('rfc', 'gode-561231-gr8');
		protection.learn('resource', 'taxpayer');
		protection.learn('birthDateAs', 'date');
		protection.learn('exteriorNumber', '404');
		expect(
			protection.text(
				"El nombre 'EMMA Go\u0301mez' (Gomez De, Gomezano) de GODE561231-GR8, taxpayer date 404",
			),
		).toBe("El nombre 'E*** G***' (G*** De, Gomezano) de gode5612******, taxpayer date 404");
	});

	it.each([masked, pseudonyms])('no identifier is left, whatever is around it', (protection) => {
		const identifier = fc.constantFrom(RFC, CURP, 'ABC150314XY9');
		const beside = fc.constantFrom(' ', ',', '&', '=', '?', '"', '/', '<');
		fc.assert(
			fc.property(fc.jsonValue(), fc.string(), identifier, beside, (json, around, secret, by) => {
				const note = `${around} ${secret}, ${around}${by}${secret}${by}${around}`;
				const row = { json, [around]: [{ note }], curp: secret };
				expect(JSON.stringify(protection.json(row as IDataObject))).not.toContain(secret);
			}),
			{ numRuns: 2000 },
		);
	});

	it('is full only if nothing else was added', () => {
		expect(readPersonalData({})).toBe('full');
	});

	it.each([undefined, null, '', 'none', 1])('refuses %j as option', (personalData) =>
		expect(() => readPersonalData({ personalData } as IDataObject)).toThrow('"Personal Data"'),
	);

	const keys = (text: string) => text.split(',').map((key) => key.trim());
	it.each(keys(`representativeRfc, EmailContacto, firstLastName, estadoNacimiento, Teléfono, certificateNumber, creatorName,
		originalFilename, Tel. del solicitante, Solicitante, Ap. Paterno, apMaterno, firstname, lastname, fullname,
		NOMBRECOMPLETO, telefonocelular, razonsocial, fechanacimiento, fecNac, RFC2, rfccliente, codigopostal, emailaddress,
		phonenumber, tel, Cel, WhatsApp, Cliente, titular, Acreditado, aval, Cónyuge, Representante legal, representantelegal,
		CLABE, Clave de elector, claveElector, INE, customer, estadoCivilNombreConyuge, Nombre (válido), Estado del teléfono,
		CP, Usuario, accionista, Socios, shareholder, contribuyente, issuer, companyName, emergencyContact, nombre_cliente, Teléfono del cliente (número), domicilio_servicio, telefonoServicio,
		Nombre del titular del servicio, Nombre del suscriptor del servicio, titular_servicio, RFC titular servicio,
		CURP (régimen), Correo de la colección, serviceEmail, nombreTitularServicio, statusNombre, estatus_cliente_nombre,
		Nombre/estatus, Domicilio (estatus), TELEFONOSTATUS, Estado y calle, Ciudad/estado, Correo electrónico válido,
		Estatus CURP y nombre, state address`))(
		'%s is the key of personal data',
		(key) => expect(personalKind(key)).toBeDefined(),
	); // prettier-ignore
	it.each(keys(`id, externalId, status, service, total, tags, collection, regimes, filelabel, monthlyIncome, Total cliente,
		clienteId, Tipo de cliente, clientType, Número de cliente, Estado civil, Estado civil del cónyuge, estatusCurp, RFCSTATUS, curpstatus,
		RegimenFiscalReceptor, Situación del contribuyente, taxpayerRegime, issuerCountry, socioStatus, shareholderId, Tipo de empresa, companyType, totalSocios, partnership, EstadoCertificado, Nombre del servicio, collection_name, Nombre del régimen fiscal, Estatus del RFC, stateName, state, Telemetría, Cantidad, Celda, Avalúo, Maternidad, Hotel,
		representativeId, loanAmount, Monto, organizationId, ownerId, createdAt`))(
		'%s is not',
		(key) => expect(personalKind(key)).toBeUndefined(),
	); // prettier-ignore

	it('of the columns that come out, hides these and no others', () => {
		const output = readFileSync(join(__dirname, '../../../../docs/output.md'), 'utf8');
		const columns = [...output.matchAll(/`([A-Za-z]+)`/g)].map(([, column]) => column);
		const personal = [...new Set(columns)].filter((column) => personalKind(column) !== undefined);
		expect(personal.sort()).toEqual(
			keys(`address, askedCurp, askedRfc, birthDate, birthState, contactEmail, creatorEmail, creatorName, curp, curpActive, firstLastName,
			legalName, municipality, name, nss, originalFilename, representativeRfc, rfc, secondLastName, shareholders, zipCode`),
		);
	});
});
