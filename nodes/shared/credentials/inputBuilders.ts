import type { INodeProperties } from 'n8n-workflow';

type More = Partial<INodeProperties>;

/** A field for a text. */
export const textInput = (displayName: string, name: string, more?: More): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
	...more,
});

/** Returns a field that must be filled in. */
export const requiredTextInput = (
	displayName: string,
	name: string,
	more?: More,
): INodeProperties => textInput(displayName, name, { required: true, ...more });

/** Returns a field that the editor masks. */
export const maskedField = (field: INodeProperties): INodeProperties => ({
	...field,
	typeOptions: { ...field.typeOptions, password: true },
});

/** A field that is shown where another one has one of these values. */
export const shownFor = (name: string, ...values: string[]): More => ({
	displayOptions: { show: { [name]: values } },
});
