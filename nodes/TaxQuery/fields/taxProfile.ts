import { UserError, type NodeApiError } from 'n8n-workflow';
import { parseText, type Field } from '../../shared/operations/field';
import { loginOf } from '../../shared/operations/loginSource';
import { taxAuthority } from '../../shared/credentials/providerLogin';
import { saidIn } from '../../shared/utils/serviceMessage';
import { checkedRfc, type Warning } from './identifiers';

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
					description:
						'Of the person or company whose profile is created. It must be the RFC of the login.',
				}
			: property,
	),
	async read(item) {
		const { rfc: ofLogin, ciec } = (await login.read(item)).login;
		const { value: rfc, warnings } = await checkedRfc(
			item,
			parseText(item.parameter('rfc'), 'RFC'),
		);
		if (plain(rfc) !== plain(ofLogin)) {
			throw new UserError('The stored login belongs to another RFC than this item', {
				description:
					'A tax profile is created with the login of its own RFC. Nothing was sent: choose the login of this RFC, or enter RFC and CIEC in the fields of this node.',
			});
		}
		return { fields: { rfc, ciec }, secret: ['ciec'], warnings };
	},
};

const plain = (rfc: string) => rfc.replace(/[\s-]/g, '').toUpperCase();

/** With these a service may say that there is no tax profile. */
export const PROFILE_STATUSES = ['400', '403', '404', '409', '412', '422'];
/** Words for a tax profile, and for any profile that is not there; an API's own profile is neither. */
const NO_PROFILE = new RegExp(
	[
		'\\b(tax|fiscal)[ _-]?profile\\b|\\bperfil (fiscal|tributario|del sat)\\b',
		'\\b(no|not|without|missing|needs?|requires?|create|sin|falta|requiere|crear?)\\b.{0,40}\\b(profile|perfil)\\b',
		'\\b(profile|perfil)\\b.{0,30}\\b(not (found|exist)|missing|required|needed|no (existe|encontrado|registrado)|inexistente|requerido)\\b',
	].join('|'),
	'i',
);

/** Words for what somebody may not do, or has not paid. */
const OTHER_REASON = /permis|permit|allow|autoriz|authoriz|billing|saldo/i;

/** The document shows no error for a missing tax profile, so it is told by its words, or by a status without words. */
export function lacksProfile({ httpCode, description }: NodeApiError): boolean {
	const status = httpCode ?? '';
	const said = saidIn(description);
	const isTold = NO_PROFILE.test(said) && !OTHER_REASON.test(said);
	if (isTold && PROFILE_STATUSES.includes(status)) return true;
	const isSilent = said === '' || /"(conflict|precondition (failed|required))\.?"/i.test(said);
	return isSilent && ['409', '412'].includes(status);
}
