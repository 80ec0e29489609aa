import { UserError, type IDataObject } from 'n8n-workflow';

/** An error that the operator can correct. Its code and data are stable, for programs and tests; its text is not. */
export class CodedError extends UserError {
	readonly data: IDataObject;

	constructor(
		readonly code: string,
		message: string,
		{ description, ...data }: { description?: string; field?: string } & IDataObject = {},
	) {
		super(message, { description });
		this.data = data;
	}
}

export const DEFAULT_FIELD_ADVICE =
	'Enter it, or check the expression that fills it for this item.';

/** The message begins with the field. */
export const fieldError = (
	code: string,
	label: string,
	problem: string,
	description = DEFAULT_FIELD_ADVICE,
): CodedError => new CodedError(code, `'${label}' ${problem}`, { field: label, description });
