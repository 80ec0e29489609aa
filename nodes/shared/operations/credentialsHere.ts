import type { INodeProperties } from 'n8n-workflow';

/** Where the editor shows a node's credentials: by itself it does below the first choice that one of them depends on. */
export const credentialsHere: INodeProperties = {
	displayName: 'Credentials',
	name: 'credentials',
	type: 'credentials',
	default: '',
};
