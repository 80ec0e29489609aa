import type {
	ProfilesOrFormsOrFilesAssociation,
	AssociatedFile,
	AssociatedForm,
	AssociatedProfile,
} from '../../contract/creditProfile';
import type { Company } from './people/people';
import type { Applicant } from './applicant';
import type { DocumentWithApplicant } from './document';
import { fileUrl, sampleFileByDocumentIndex, type LinkContext } from './files';
import { ORGANIZATION_ID } from './users';
import { buildNationality, buildResidence } from './residence';

/** Those that are not sent whole are listed with null. */
interface Include {
	all: boolean;
	profile: boolean;
	form: boolean;
	file: boolean;
}

const dates = ({ document: { createdAt, updatedAt } }: DocumentWithApplicant) => ({
	createdAt,
	updatedAt,
});
const idOf = ({ document }: DocumentWithApplicant): number => document.id ?? 0;

/** A profile and a form say this alike about the person, or about the company. */
function whoIs({ applicant, isCompany, index }: DocumentWithApplicant) {
	const company = isCompany ? applicant.company() : undefined;
	return {
		...(company ? companyFields(company) : personFields(applicant)),
		...buildResidence(company ?? applicant, index),
		phone: applicant.phone,
		nationality: company ? 'MX' : buildNationality(applicant, index),
	};
}

function personFields(person: Applicant) {
	const { firstName, middleName, firstLastName, secondLastName, rfc, curp, nss, email } = person;
	return {
		accountType: 'PF' as const,
		firstName,
		middleName,
		firstLastName,
		secondLastName,
		tradeName: null,
		...rfcFields(rfc),
		curp,
		nss,
		birthdate: person.birthDate,
		email,
	};
}

function companyFields({ legalName, rfc, constituted, email }: Company) {
	return {
		accountType: 'PM' as const,
		tradeName: legalName,
		...rfcFields(rfc),
		curp: null,
		nss: null,
		birthdate: constituted,
		email,
	};
}

/** The homoclave with its check digit has three characters. */
const rfcFields = (rfc: string) => ({ rfc, basicRFC: rfc.slice(0, -3) });

/** CP §2.8 */
function profileOf(generated: DocumentWithApplicant): AssociatedProfile {
	return {
		id: idOf(generated),
		organizationId: ORGANIZATION_ID,
		...dates(generated),
		tags: generated.document.tags,
		tagIds: generated.document.tags?.map((_tag, index) => index + 1),
		externalId: generated.document.externalId,
		...whoIs(generated),
	};
}

/** CP §2.9 */
function formOf(generated: DocumentWithApplicant): AssociatedForm {
	const { index, document, isCompany } = generated;
	const tags = document.tags ?? [];
	const isCompleted = index % 2 === 0;
	const person = whoIs(generated);
	return {
		id: idOf(generated),
		...person,
		zipCode: person.zipCode || null, // a profile's may be empty, a form's has five digits
		extraInformation: null,
		monthlyIncome: 8_000 + (index % 90) * 500,
		loanAmount: 20_000 + (index % 50) * 5_000,
		completedDate: isCompleted ? document.updatedAt : null,
		profileId: idOf(generated),
		isNipConfirmed: isCompleted,
		...dates(generated),
		tagIds: tags.map((_tag, place) => place + 1),
		tags,
		tagsAssociation: tags.map((label, place) => ({ id: place + 1, label })),
		customPagesConfigId: null,
		customPagesAnswers: isCompleted ? { 'Destino del crédito': 'Capital de trabajo' } : null,
		nipSmsSentCount: index % 3,
		nipEmailSentCount: index % 2,
		formConfig: {
			id: isCompany ? 2 : 1,
			organizationId: ORGANIZATION_ID,
			name: isCompany ? 'Solicitud PyME' : 'Solicitud de crédito personal',
			accountType: isCompany ? 'PM' : 'PF',
			serviceQueries: {
				bureauPM: isCompany,
				bureauPF: !isCompany,
				taxBlackList: true,
				taxRFC: true,
				curpRegistryCurp: !isCompany,
				'bl-busqueda_judicial': false,
			},
			bureauAuthTradeName: 'Financiera de Prueba',
			formCompletedURL: null,
			slug: isCompany ? 'solicitud-pyme' : 'solicitud-personal',
			createdAt: '2024-01-05T16:00:00.000Z',
			updatedAt: '2024-01-05T16:00:00.000Z',
			customPagesConfigId: null,
		},
	};
}

/** CP §2.10 */
function fileOf(generated: DocumentWithApplicant, link: LinkContext): AssociatedFile {
	const file = sampleFileByDocumentIndex(generated.index);
	const hasPreview = !['csv', 'json'].includes(file.filetype);
	return {
		id: idOf(generated),
		uploadedAt: generated.document.createdAt,
		...dates(generated),
		size: file.content.length,
		organizationId: ORGANIZATION_ID,
		filetype: file.filetype,
		filelabel: file.label,
		externalId: null,
		uploaderId: generated.document.creatorId,
		originalFilename: file.name,
		url: fileUrl(link, 'download', file),
		previewUrl: hasPreview ? fileUrl(link, 'preview', file) : null,
		fileCollectionId: 1,
		tags: [],
	};
}

/**
 * Undefined if none were requested. Nearly every document has a profile, every third a form, every fourth a file.
 */
export function includedAssociations(
	generated: DocumentWithApplicant,
	include: Include,
	link: LinkContext,
): ProfilesOrFormsOrFilesAssociation[] | undefined {
	const { all, profile, form, file } = include;
	if (!all && !profile && !form && !file) return undefined;
	const associations: ProfilesOrFormsOrFilesAssociation[] = [];
	if (generated.index % 11 !== 10 && (all || profile)) {
		associations.push({ type: 'Profiles', association: profile ? profileOf(generated) : null });
	}
	if (generated.index % 3 === 0 && (all || form)) {
		associations.push({ type: 'Forms', association: form ? formOf(generated) : null });
	}
	if (generated.index % 4 === 0 && (all || file)) {
		associations.push({ type: 'Files', association: file ? fileOf(generated, link) : null });
	}
	return associations;
}
