import { UserError } from 'n8n-workflow';
import { BoundedMap } from '../utils/boundedMap';
import { saidIn } from '../utils/serviceMessage';

/** The newest of each message; without the service's words where several were told, for whose they are is not known. */
const thrown = new BoundedMap<string, { description: string; isPassing: boolean }>(100);

/** A problem that a credential tells by itself, before anything is sent. */
export class CredentialError extends UserError {
	/** It may pass by itself: the request is worth another attempt. */
	readonly isPassing: boolean;

	constructor(message: string, description: string, isPassing = false) {
		super(message, { description });
		this.isPassing = isPassing;
		const isTold = [undefined, description].includes(thrown.get(message)?.description);
		const said = saidIn(description);
		const own = isTold || said === '' ? description : description.split(said)[0].trim();
		thrown.set(message, { description: own, isPassing });
	}
}

/**
 * The error of a credential that n8n's helper wrapped into its own. Up to n8n 2.33 the wrapped one is lost but for its
 * message, so ours are remembered by theirs.
 */
export function findCredentialError(error: unknown): UserError | undefined {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		if (cause instanceof UserError) return cause;
	}
	const told = error instanceof Error ? thrown.get(error.message) : undefined;
	return told && new CredentialError((error as Error).message, told.description, told.isPassing);
}

/** Whether a message is one that a credential told by itself: no token could be had. */
export const isOfLogin = (message: string): boolean => thrown.has(message);
