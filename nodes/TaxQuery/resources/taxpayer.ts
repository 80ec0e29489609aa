import { defineField, parseText, type Field } from '../../shared/operations/fields';
import type { Item, Resource } from '../../shared/operations/operation';
import { birthDate } from '../fields/dates';
import {
	rfcInputWithCheckOptions,
	curpCheckOptionProperties,
	type OutputRowWarning,
} from '../fields/identifiers';
import { checkNamePart, type NamePart } from '../fields/personName';
import { textProperty } from '../fields/textProperty';
import { queryTypesByOperation } from '../../shared/queryTypes/catalog';
import { defineBilledQueryOperation } from './billedQuery';

const givenNames = defineField(
	textProperty('Given Names', 'name', 'Emma', 'All of them, as in the birth certificate'),
	parseText,
);
const firstLastName = defineField(
	textProperty(
		'First Last Name',
		'firstLastName',
		'Gómez',
		'Apellido paterno, as in the birth certificate',
	),
	parseText,
);
const secondLastName = defineField(
	textProperty(
		'Second Last Name',
		'secondLastName',
		'Díaz',
		'Apellido materno; leave empty if there is none',
		false,
	),
	(value, label) => (isBlank(value) ? '' : parseText(value, label)),
);
const isBlank = (value: unknown) =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const nameParts: Array<[name: string, part: NamePart, field: Field<string>]> = [
	['name', 'given', givenNames],
	['firstLastName', 'first', firstLastName],
	['secondLastName', 'second', secondLastName],
];

async function readNames(item: Item) {
	const fields: Record<string, string> = {};
	const warnings: OutputRowWarning[] = [];
	for (const [name, part, field] of nameParts) {
		const text = await field.read(item);
		const label = field.properties[0].displayName;
		if (text !== '') warnings.push(...(await checkNamePart(item, text, { label, part })));
		fields[name] = text;
	}
	return { fields, warnings };
}

const calculateRfc = defineBilledQueryOperation({
	queryType: queryTypesByOperation.calculateRfc,
	name: 'Calculate RFC',
	does: 'Calculate the RFC of a natural person from name and birth date',
	takes:
		'Given Names: all of them. First Last Name: apellido paterno. Second Last Name: apellido materno, or empty. Birth Date: YYYY-MM-DD',
	input: {
		properties: [givenNames, firstLastName, secondLastName, birthDate].flatMap(
			({ properties }) => properties,
		),
		async read(item) {
			const { fields, warnings } = await readNames(item);
			return { fields: { ...fields, ...(await birthDate.read(item)) }, warnings };
		},
	},
	options: curpCheckOptionProperties,
});

const getCrf = defineBilledQueryOperation({
	...rfcInputWithCheckOptions,
	queryType: queryTypesByOperation.getCrf,
	name: 'Get Fiscal Regime Certificate (CRF)',
	subtitle: 'Get CRF (fiscal regimes)',
	does: 'Get the fiscal regimes of an RFC (régimen fiscal)',
});

const getRfcData = defineBilledQueryOperation({
	...rfcInputWithCheckOptions,
	queryType: queryTypesByOperation.getRfcData,
	name: 'Get RFC Data',
	does: 'Get the name, address and certificate that belong to an RFC',
});

export const taxpayer: Resource = {
	name: 'Taxpayer (RFC)',
	value: 'taxpayer',
	operations: [calculateRfc, getCrf, getRfcData],
};
