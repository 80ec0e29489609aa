import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { fieldError } from '../utils/codedError';

export type PersonalDataMode = 'full' | 'masked' | 'pseudonym';

export const personalDataOption: INodeProperties = {
	displayName: 'Personal Data',
	name: 'personalData',
	type: 'options',
	options: [
		{ name: 'Full', value: 'full', description: 'As the service gave it' },
		{ name: 'Masked', value: 'masked', description: 'Like GODE5612******' },
		{
			name: 'Pseudonym',
			value: 'pseudonym',
			description:
				"The same value always becomes the same code. Needs the credential's 'Pseudonym Key'.",
		},
	],
	default: 'masked',
	description:
		'How personal data appears in the output. Masked and Pseudonym hide also fields that the API reference does not describe; of a date, the year is left. Downloaded files and Identifier → Check are not masked.',
};

export const unmaskedFieldsOption: INodeProperties = {
	displayName: 'Fields to Keep',
	name: 'fieldsToKeep',
	type: 'string',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add field' },
	default: '',
	placeholder: 'e.g. monto',
	displayOptions: { show: { personalData: ['masked', 'pseudonym'] } },
	description:
		"Fields to return in full, with everything inside them. Enter each name as the service writes it; 'Simplify' off shows it.",
};

/** Throws a UserError if it is none of the entries, empty included: never full by mistake. */
export function readPersonalDataMode(options: IDataObject): PersonalDataMode {
	if (!Object.hasOwn(options, 'personalData')) return 'full';
	const { personalData: mode } = options;
	if (mode === 'full' || mode === 'masked' || mode === 'pseudonym') return mode;
	throw fieldError('field.choice', 'Personal Data', 'must be full, masked or pseudonym');
}

/** An expression may give them as one text, with commas between. */
export function readFieldsToKeep({ fieldsToKeep = [] }: IDataObject): string[] {
	const given = [fieldsToKeep].flat() as unknown[];
	return given.flatMap((one) => {
		if (typeof one === 'string') return one.split(',').map((name) => name.trim());
		throw fieldError('field.list', 'Fields to Keep', 'must be a list of names');
	});
}
