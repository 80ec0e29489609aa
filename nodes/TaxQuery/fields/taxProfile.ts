import type { Field } from '../../shared/operations/field';
import { loginOf } from '../../shared/operations/loginSource';
import { taxAuthority } from '../../shared/credentials/providerLogin';
import { readRfc, type Warning } from './identifiers';
import { plain } from './text';
import { CodedError } from '../../shared/utils/codedError';

/** TQ §4.8: what a tax profile is made of. */
interface ProfileInput {
	fields: { rfc: string; ciec: string };
	secret: string[];
	warnings: Warning[];
}

const login = loginOf([taxAuthority]);

/** RFC and CIEC of the person, from a stored credential or the fields. */
export const profile: Field<ProfileInput> = {
	properties: login.properties.map((property) =>
		property.name === 'rfc'
			? {
					...property,
					displayOptions: undefined,
					description: 'Whose profile is created; the login must have the same RFC',
				}
			: property,
	),
	async read(item) {
		const { rfc: ofLogin, ciec } = (await login.read(item)).login;
		const { value: rfc, warnings } = await readRfc(item);
		if (plain(rfc) !== plain(ofLogin)) {
			throw new CodedError(
				'storedLogin.rfc',
				'The stored login belongs to another RFC than this item',
				{
					description:
						'Choose the login of this RFC, or enter its CIEC in the fields of this node.',
				},
			);
		}
		return { fields: { rfc, ciec }, secret: ['ciec'], warnings };
	},
};
