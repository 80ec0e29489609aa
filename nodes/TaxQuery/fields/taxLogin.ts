import type { Field } from '../../shared/operations/fields';
import { loginFieldWithSourceChoice } from '../../shared/operations/loginField';
import { taxAuthorityLogin } from '../../shared/credentials/dataProviders';
import { readRfc, type OutputRowWarning } from './identifiers';
import { normalizeIdentifier } from './textProperty';
import { CodedError } from '../../shared/utils/codedError';

/** TQ §4.8 */
interface ProfileInput {
	fields: { rfc: string; ciec: string };
	secret: string[];
	warnings: OutputRowWarning[];
}

const login = loginFieldWithSourceChoice([taxAuthorityLogin], 'taxQueryApi');

/** The values come from the service's credential or the fields. */
export const taxProfileInput: Field<ProfileInput> = {
	properties: login.properties.map((property) =>
		property.name === 'rfc'
			? {
					...property,
					displayOptions: undefined,
					description: 'Whose profile is created; a stored CIEC must be of the same RFC',
				}
			: property,
	),
	async read(item) {
		const { rfc: ofLogin, ciec } = (await login.read(item)).login;
		const { value: rfc, warnings } = await readRfc(item);
		if (normalizeIdentifier(rfc) !== normalizeIdentifier(ofLogin)) {
			throw new CodedError(
				'storedLogin.rfc',
				'The stored CIEC belongs to another RFC than this item',
				{
					description:
						'Choose a credential with the CIEC of this RFC, or enter its CIEC in the fields of this node.',
				},
			);
		}
		return { fields: { rfc, ciec }, secret: ['ciec'], warnings };
	},
};
