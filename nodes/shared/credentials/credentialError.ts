import { UserError } from 'n8n-workflow';

/** A credential cannot be used as it is filled in; nothing was sent. */
export class CredentialError extends UserError {
	constructor(message: string, description: string) {
		super(message, { description });
	}
}
