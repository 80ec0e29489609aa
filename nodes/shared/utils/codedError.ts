import { UserError, type IDataObject } from 'n8n-workflow';

/** An error that the operator can correct. Its code and data are stable, for programs and tests; its words are not. */
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
