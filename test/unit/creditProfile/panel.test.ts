import { NodeHelpers, type INode, type INodeProperties } from 'n8n-workflow';
import { CreditProfile } from '../../../nodes/CreditProfile/CreditProfile.node';

const { properties } = new CreditProfile().description;
const defaults = Object.fromEntries(properties.map(({ name, default: value }) => [name, value]));

/** What the panel shows first of a name, under these parameters. */
function shown(name: string, parameters: object): INodeProperties | undefined {
	const node: INode = {
		...{ id: '1', name: 'Login', type: 'n8n-nodes-credit-profile.creditProfile', typeVersion: 1 },
		position: [0, 0],
		parameters: { ...defaults, resource: 'providerLogin', ...parameters } as INode['parameters'],
	};
	const isShown = (property: INodeProperties) =>
		NodeHelpers.displayParameter(node.parameters, property, node, null);
	return properties.find((property) => property.name === name && isShown(property));
}

describe('the panel of a provider login', () => {
	it('warns that it replaces the login of the whole organization, only where one is saved', () => {
		const at = (operation: string) => shown('replacesNotice', { operation });
		expect(at('upsert')?.displayName).toContain('whole organization');
		expect(at('getAll')).toBeUndefined();
	});

	it('asks for the provider once: the stored login names it, and for a typed one none is chosen yet', () => {
		const of = (loginFrom: string) => shown('provider', { operation: 'upsert', loginFrom });
		expect([of('stored'), of('fields')?.default]).toEqual([undefined, '']);
	});
});
