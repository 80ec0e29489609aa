import type { Field } from '../../shared/operations/field';
import {
	companyRfc,
	curp,
	curpCheckOptions,
	rfc,
	rfcCheckOptions,
	type Checked,
} from '../fields/identifiers';
import type { PaidQuery, QueryInput } from '../question/question';

/** Of a query about one identifier, which the body calls `name`. */
const inputOf = (name: 'rfc' | 'curp', field: Field<Checked>): Field<QueryInput> => ({
	properties: field.properties,
	async read(item) {
		const { value, warnings } = await field.read(item);
		return { fields: { [name]: value }, warnings };
	},
});

type AboutOne = Pick<PaidQuery, 'options' | 'input'>;

/** Of a query about an RFC, a person's or a company's. */
export const byRfc: AboutOne = { input: inputOf('rfc', rfc), options: rfcCheckOptions };

/** Of a query about the RFC of a company. */
export const byCompanyRfc: AboutOne = {
	input: inputOf('rfc', companyRfc),
	options: rfcCheckOptions,
};

/** Of a query about a CURP. */
export const byCurp: AboutOne = { input: inputOf('curp', curp), options: curpCheckOptions };
