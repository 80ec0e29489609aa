import { field, parseText, type Field } from '../../shared/operations/field';
import type { Item, Resource } from '../../shared/operations/operation';
import { birthDate } from '../fields/dates';
import { byRfc, checkedName, nameCheckOptions, textField } from '../fields/identifiers';
import { paidQueryOperation } from '../paidQuery/operation';
import { catalog } from '../service/names';

const givenNames = field(
	textField(
		'Given Names',
		'name',
		'e.g. Emma',
		'All given names as text, as in the birth certificate',
	),
	parseText,
);
const firstLastName = field(
	textField(
		'First Last Name',
		'firstLastName',
		'e.g. Gómez',
		'The first surname (apellido paterno) as text, as in the birth certificate',
	),
	parseText,
);
const isEmpty = (value: unknown) =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
const secondLastName = field(
	{
		displayName: 'Second Last Name',
		name: 'secondLastName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Díaz',
		description: 'The second surname (apellido materno) as text; leave empty if there is none',
	},
	(value, label) => (isEmpty(value) ? '' : parseText(value, label)),
);

const readName = async (item: Item, part: Field<string>): Promise<string> => {
	const name = await part.read(item);
	return name && (await checkedName(item, name, part.properties[0].displayName));
};

const calculateRfc = paidQueryOperation({
	service: catalog.calculateRfc,
	name: 'Calculate RFC',
	action: 'Calculate RFC',
	tool: 'Calculate the RFC of a person. Given Names: all of them. First Last Name: apellido paterno. Second Last Name: apellido materno, or empty. Birth Date: YYYY-MM-DD.',
	description:
		'Calculate the RFC of a natural person from name and birth date. The result comes at once. Each query costs money.',
	input: {
		properties: [
			...givenNames.properties,
			...firstLastName.properties,
			...secondLastName.properties,
			...birthDate.properties,
		],
		async read(item) {
			const fields = {
				name: await readName(item, givenNames),
				firstLastName: await readName(item, firstLastName),
				secondLastName: await readName(item, secondLastName),
				...(await birthDate.read(item)),
			};
			return { fields, warnings: [] };
		},
	},
	options: nameCheckOptions,
});

const getCrf = paidQueryOperation({
	...byRfc,
	service: catalog.getCrf,
	name: 'Get Fiscal Regime Certificate (CRF)',
	action: 'Get fiscal regime certificate (CRF)',
	tool: 'Ask for the tax regimes (régimen fiscal) of a taxpayer. RFC: 12 characters (company) or 13 (person), with homoclave.',
	subtitle: 'Get CRF (fiscal regimes)',
	description:
		'Ask for the fiscal regimes of an RFC (régimen fiscal). The result follows later. Each query costs money.',
});

const getRfcData = paidQueryOperation({
	...byRfc,
	service: catalog.getRfcData,
	name: 'Get RFC Data',
	action: 'Get RFC data',
	tool: 'Ask for name, address and certificate of a taxpayer. RFC: 12 characters (company) or 13 (person), with homoclave.',
	description:
		'Ask for name, address and certificate that belong to an RFC. The result follows later. Each query costs money.',
});

export const taxpayer: Resource = {
	name: 'Taxpayer (RFC)',
	value: 'taxpayer',
	operations: [calculateRfc, getCrf, getRfcData],
};
