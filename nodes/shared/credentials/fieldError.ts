import { CodedError } from '../utils/codedError';

/** A credential cannot be used as it is filled in; nothing was sent. */
export const credentialError = (message: string, description: string): CodedError =>
	new CodedError('credential', message, { description });
