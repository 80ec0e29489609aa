import { Kind, Type, TypeRegistry, type Static, type TSchema } from '@sinclair/typebox';
import { closed, dateTime, freeForm, nullable, oneOf } from '../builders';
import { COUNTRY_CODES, STATE_CODES, isZipCodeOfState } from './regionCodes';

const LETTERS = 'A-Za-zÀ-ÖØ-öø-ɏ';
const MAX_LENGTH = 256;

const limited = nullable(Type.String({ maxLength: MAX_LENGTH }));
/** CP §2.8 firstName: letters, apostrophes, spaces, dots, hyphens. */
const personName = Type.String({ maxLength: MAX_LENGTH, pattern: `^[${LETTERS}' .-]*$` });
/** CP §2.8 tradeName */
const PLAIN = `^[${LETTERS}0-9@&.,'()/<>\\s-]*$`;
const plain = nullable(Type.String({ maxLength: MAX_LENGTH, pattern: PLAIN }));
const text = nullable(Type.String());
const number = nullable(Type.Number());
const email = nullable(Type.String({ format: 'email' }));
const tags = Type.Array(Type.String());
const country = nullable(oneOf(COUNTRY_CODES));

interface Address {
	zipCode?: string | null;
	state?: string | null;
}

TypeRegistry.Set('ZipCodeOfState', (_schema, value) => {
	const { zipCode, state } = value as Address;
	return !zipCode || !state || isZipCodeOfState(zipCode, state);
});

/** CP §2.8 zipCode: "must match state". */
const withZipCodeOfState = <T extends TSchema>(schema: T) =>
	Type.Intersect([
		schema,
		Type.Unsafe<unknown>({
			[Kind]: 'ZipCodeOfState',
			description: 'The first two digits of zipCode belong to state',
			errorMessage: 'Expected zipCode to belong to state',
		}),
	]);

/** CP §2.8 */
export const AssociatedProfile = withZipCodeOfState(
	Type.Composite(
		[
			Type.Object({ accountType: oneOf(['PF', 'PM']) }),
			Type.Partial(
				Type.Object({
					id: Type.Number(),
					organizationId: Type.Number(),
					createdAt: dateTime,
					updatedAt: dateTime,
					tags,
					tagIds: Type.Array(Type.Integer()),
					email,
					externalId: limited,
					firstName: personName,
					middleName: nullable(personName),
					firstLastName: personName,
					secondLastName: nullable(personName),
					tradeName: plain,
					rfc: nullable(Type.String({ minLength: 12, maxLength: 13, format: 'rfc' })),
					basicRFC: nullable(Type.String({ minLength: 9, maxLength: 10, format: 'basic-rfc' })),
					phone: limited,
					curp: nullable(
						Type.String({ minLength: 18, maxLength: 18, pattern: PLAIN, format: 'curp' }),
					),
					neighborhood: limited,
					address: plain,
					address2: plain,
					exteriorNumber: plain,
					interiorNumber: plain,
					city: limited,
					municipality: limited,
					state: nullable(oneOf(STATE_CODES)),
					zipCode: nullable(Type.String({ pattern: '^(.{5})?$' })),
					country,
					nationality: country,
					nss: nullable(Type.String({ format: 'nss' })),
					birthdate: text,
				}),
			),
		],
		{ additionalProperties: false },
	),
);
export type AssociatedProfile = Static<typeof AssociatedProfile>;

/** CP §2.9 formConfig */
const FormConfig = Type.Partial(
	Type.Object({
		id: Type.Number(),
		organizationId: Type.Number(),
		name: text,
		accountType: text,
		serviceQueries: Type.Partial(
			Type.Object({
				bureauPM: Type.Boolean(),
				bureauPF: Type.Boolean(),
				taxBlackList: Type.Boolean(),
				taxRFC: Type.Boolean(),
				curpRegistryCurp: Type.Boolean(),
				'bl-busqueda_judicial': Type.Boolean(),
			}),
		),
		bureauAuthTradeName: text,
		formCompletedURL: text,
		slug: Type.String(),
		createdAt: dateTime,
		updatedAt: dateTime,
		customPagesConfigId: number,
	}),
);

/** CP §2.9 */
export const AssociatedForm = withZipCodeOfState(
	Type.Partial(
		Type.Object({
			id: Type.Number(),
			accountType: text,
			firstName: text,
			middleName: text,
			firstLastName: text,
			secondLastName: text,
			rfc: text,
			basicRFC: text,
			curp: text,
			nationality: text,
			address: text,
			address2: text,
			exteriorNumber: text,
			interiorNumber: text,
			neighborhood: text,
			city: text,
			state: text,
			country: text,
			municipality: text,
			extraInformation: text,
			phone: text,
			nss: text,
			tradeName: plain,
			birthdate: nullable(Type.String({ format: 'date' })),
			zipCode: nullable(Type.String({ pattern: '^\\d{5}$' })),
			monthlyIncome: number,
			loanAmount: number,
			completedDate: nullable(dateTime),
			profileId: number,
			isNipConfirmed: nullable(Type.Boolean()),
			createdAt: dateTime,
			updatedAt: dateTime,
			email,
			tagIds: Type.Array(Type.Number()),
			tags,
			tagsAssociation: nullable(
				Type.Array(Type.Object({ id: Type.Integer(), label: Type.String() })),
			),
			customPagesConfigId: number,
			customPagesAnswers: nullable(freeForm),
			nipSmsSentCount: number,
			nipEmailSentCount: number,
			formConfig: FormConfig,
		}),
	),
);
export type AssociatedForm = Static<typeof AssociatedForm>;

/** CP §2.10 */
export const AssociatedFile = Type.Partial(
	closed({
		id: Type.Integer(),
		uploadedAt: nullable(dateTime),
		createdAt: dateTime,
		updatedAt: dateTime,
		size: number,
		organizationId: Type.Integer(),
		filetype: oneOf(['jpeg', 'png', 'pdf', 'csv', 'json']),
		filelabel: Type.String(),
		externalId: text,
		uploaderId: nullable(Type.Integer()),
		originalFilename: text,
		url: nullable(Type.String({ format: 'uri' })),
		previewUrl: nullable(Type.String({ format: 'uri' })),
		fileCollectionId: nullable(Type.Integer({ minimum: 1 })),
		tags: Type.Array(Type.String(), { default: [] }),
	}),
);
export type AssociatedFile = Static<typeof AssociatedFile>;
