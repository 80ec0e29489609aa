import { DateTime } from 'luxon';
import { UserError } from 'n8n-workflow';
import type { Item, Operation, Resource } from '../shared/operation';
import { readText, runQuery, textField } from './runQuery';

/** Reads the date of birth, with or without a time of day; the date as written counts, whatever its zone. */
function readBirthDate(item: Item): { day: number; month: number; year: number } {
	const value: unknown = item.parameter('birthDate');
	const date = DateTime.fromISO(typeof value === 'string' ? value.trim() : '', { setZone: true });
	if (!date.isValid) {
		throw new UserError('"Birth Date" is not a date', {
			description: 'Enter it as year-month-day, e.g. 1956-12-31.',
		});
	}
	if (date > DateTime.now()) {
		throw new UserError('"Birth Date" lies in the future', {
			description: 'Check the year; enter the date as year-month-day, e.g. 1956-12-31.',
		});
	}
	return { day: date.day, month: date.month, year: date.year };
}

const calculateRfc: Operation = {
	name: 'Calculate RFC',
	value: 'calculateRfc',
	action: 'Calculate an RFC',
	description:
		'Calculate the RFC of a natural person from name and birth date; the answer comes at once',
	fields: [
		textField('Given Names', 'name', 'e.g. Emma', 'All given names'),
		textField('First Last Name', 'firstLastName', 'e.g. Gómez', "The father's surname"),
		{
			displayName: 'Second Last Name',
			name: 'secondLastName',
			type: 'string',
			default: '',
			placeholder: 'e.g. Díaz',
			description: "The mother's surname; leave empty if there is none",
		},
		{
			displayName: 'Birth Date',
			name: 'birthDate',
			type: 'dateTime',
			typeOptions: { dateOnly: true },
			default: '',
			required: true,
			placeholder: 'e.g. 1956-12-31',
		},
	],
	/** §4.3 */
	async execute(item) {
		const secondLastName = item.parameter<string | undefined>('secondLastName')?.trim();
		return await item.request({
			method: 'POST',
			path: '/query/rfc-calculator',
			body: {
				name: readText(item, 'name'),
				firstLastName: readText(item, 'firstLastName'),
				...(secondLastName && { secondLastName }),
				...readBirthDate(item),
			},
		});
	},
};

const getCrf: Operation = {
	name: 'Get Fiscal Regime Certificate (CRF)',
	value: 'getCrf',
	action: 'Get a fiscal regime certificate (CRF)',
	description:
		'Ask for the fiscal regimes of an RFC. The service acknowledges with a query ID; the result follows later.',
	fields: [textField('RFC', 'rfc', 'e.g. GODE561231GR8', '12 characters (company) or 13 (person)')],
	/** §4.4 */
	execute: async (item) => await runQuery(item, '/query/crf', ['rfc']),
};

export const taxpayer: Resource = {
	name: 'Taxpayer (RFC)',
	value: 'taxpayer',
	operations: [calculateRfc, getCrf],
};
