import * as workflow from 'n8n-workflow';

// The package file may name no range (n8n's scanner wants "*"), so an n8n that is too old gets its error here, at load.
const { NodeConnectionTypes }: Partial<typeof workflow> = workflow;
if (!NodeConnectionTypes) {
	throw new Error(
		'n8n-nodes-credit-profile needs n8n 1.123 or newer. Update n8n, or uninstall this package.',
	);
}
