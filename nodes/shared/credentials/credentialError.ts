import { CodedError } from '../utils/codedError';

/** A credential cannot be used as it is filled in; nothing was sent. */
export class CredentialError extends CodedError {
	constructor(message: string, description: string) {
		super('credential', message, { description });
	}
}
