import type { INodeProperties } from 'n8n-workflow';
import { loginFromField, loginOf } from '../CreditProfile/credential';
import { checkLogin, taxAuthority } from '../CreditProfile/providers';
import type { Item } from '../shared/operation';
import { checkedRfc } from './check';
import type { Question } from './kinds';

export const profileFields: INodeProperties[] = [
	loginFromField,
	...taxAuthority.fields.map((field) => ({
		...field,
		displayOptions: { show: { loginFrom: ['fields'] } },
	})),
];

/** §4.8: RFC and CIEC of the person, from a stored credential or the fields. Throws a UserError like readRfc. */
export async function readProfile(item: Item): Promise<Question> {
	const { login } = checkLogin(taxAuthority, await loginOf(item, taxAuthority));
	const { value: rfc, warnings } = checkedRfc(item, login.rfc.trim());
	return { fields: { rfc, ciec: login.ciec }, secret: ['ciec'], warnings };
}
