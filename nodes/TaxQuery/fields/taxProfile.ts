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
/** Words for a profile that is not there. */
const NO_PROFILE = new RegExp(
	[
		'\\b(no|not|without|missing|lacks?|needs?|requires?|create|register|sin|falta|requiere|necesita|cre(ar?|e))\\b.{0,40}\\b(profile|perfil)\\b',
		'\\b(profile|perfil)\\b.{0,30}\\b(not (been |yet )?(found|exist|created|registered)|missing|required|needed|no (ha sido |esta )?(existe|encontrad[oa]|registrado|creado|se encontro)|inexistente|requerido|necesario)\\b',
	].join('|'),
);

/** Words for what somebody may not do, or has not paid; or for a profile that is there. */
const OTHER_REASON = new RegExp(
	[
		'permis|permit|allow|autoriz|authoriz|billing|saldo',
		'validat(ed|ing)|validar|validad|valido|being processed|procesando|(in|en) proces|block|bloque|activ|habilitad|disponible',
		'ya existe|already|(?<!\\bno .*)\\bexists|wrong|incorrect|expir|caduc|vencid|found, but|match|coincid',
	].join('|'),
);

/** The document shows no error for a missing tax profile, so it is told by its words, or by a status without words. */
export function lacksProfile({ httpCode, description }: NodeApiError): boolean {
	const status = httpCode ?? '';
	const said = saidIn(description);
	const plain = said.normalize('NFD').replace(/\p{M}/gu, '').replace(/_/g, ' ').toLowerCase();
	const isTold = NO_PROFILE.test(plain) && !OTHER_REASON.test(plain);
	if (isTold && PROFILE_STATUSES.includes(status)) return true;
	const isSilent = said === '' || /"(conflict|precondition (failed|required))\.?"/i.test(said);
	return isSilent && ['409', '412'].includes(status);
}
