import type { INodeProperties } from 'n8n-workflow';

type More = Partial<INodeProperties>;

export const textInput = (displayName: string, name: string, more?: More): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
	...more,
});

export const requiredTextInput = (
	displayName: string,
	name: string,
	more?: More,
): INodeProperties => textInput(displayName, name, { required: true, ...more });

export const maskedField = (field: INodeProperties): INodeProperties => ({
	...field,
	typeOptions: { ...field.typeOptions, password: true },
});

export const shownFor = (name: string, ...values: string[]): More => ({
	displayOptions: { show: { [name]: values } },
});
