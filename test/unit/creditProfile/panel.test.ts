import { NodeHelpers, type INode, type INodeProperties } from 'n8n-workflow';
import { CreditProfile } from '../../../nodes/CreditProfile/CreditProfile.node';

const { properties } = new CreditProfile().description;
const defaults = Object.fromEntries(properties.map(({ name, default: value }) => [name, value]));

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
	it('warns that saving replaces the login of the whole organization', () => {
		const at = (operation: string) => shown('replacesNotice', { operation });
		expect(at('upsert')?.displayName).toContain('whole organization');
		expect(at('getAll')).toBeUndefined();
	});

	it('asks for the provider wherever the login comes from, and none is chosen yet', () => {
		const of = (loginFrom: string) => shown('provider', { operation: 'upsert', loginFrom });
		expect([of('stored')?.default, of('fields')?.default]).toEqual(['', '']);
	});

	it('shows the fields of a login only where it is typed in', () => {
		const of = (loginFrom: string) =>
			shown('token', { operation: 'upsert', loginFrom, provider: 'sanctions-screening' });
		expect([of('stored'), of('fields')?.displayName]).toEqual([undefined, 'Token']);
	});
});
