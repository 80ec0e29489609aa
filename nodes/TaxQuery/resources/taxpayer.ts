import { field, parseText, type Field } from '../../shared/operations/field';
import type { Item, Resource } from '../../shared/operations/operation';
import { birthDate } from '../fields/dates';
import { byRfc, checkedName, curpCheckOptions } from '../fields/identifiers';
import { textField } from '../fields/text';
import { catalog } from '../service/names';
import { billedQuery } from './billed';

const givenNames = field(
	textField('Given Names', 'name', 'Emma', 'All of them, as in the birth certificate'),
	parseText,
);
const firstLastName = field(
	textField(
		'First Last Name',
		'firstLastName',
		'Gómez',
		'Apellido paterno, as in the birth certificate',
	),
	parseText,
);
const secondLastName = field(
	textField(
		'Second Last Name',
		'secondLastName',
		'Díaz',
		'Apellido materno; leave empty if there is none',
		false,
	),
	(value, label) => (isEmpty(value) ? '' : parseText(value, label)),
);
const isEmpty = (value: unknown) =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const readName = async (item: Item, part: Field<string>): Promise<string> => {
	const name = await part.read(item);
	return name && (await checkedName(item, name, part.properties[0].displayName));
};

const calculateRfc = billedQuery({
	service: catalog.calculateRfc,
	name: 'Calculate RFC',
	does: 'Calculate the RFC of a natural person from name and birth date',
	takes:
		'Given Names: all of them. First Last Name: apellido paterno. Second Last Name: apellido materno, or empty. Birth Date: YYYY-MM-DD',
	input: {
		properties: [givenNames, firstLastName, secondLastName, birthDate].flatMap(
			({ properties }) => properties,
		),
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
	options: curpCheckOptions,
});

const getCrf = billedQuery({
	...byRfc,
	service: catalog.getCrf,
	name: 'Get Fiscal Regime Certificate (CRF)',
	subtitle: 'Get CRF (fiscal regimes)',
	does: 'Get the fiscal regimes of an RFC (régimen fiscal)',
});

const getRfcData = billedQuery({
	...byRfc,
	service: catalog.getRfcData,
	name: 'Get RFC Data',
	does: 'Get the name, address and certificate that belong to an RFC',
});

export const taxpayer: Resource = {
	name: 'Taxpayer (RFC)',
	value: 'taxpayer',
	operations: [calculateRfc, getCrf, getRfcData],
};
