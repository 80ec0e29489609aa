import type { IDataObject } from 'n8n-workflow';
import type { FileNameAndIds } from '../../shared/errors/downloadError';
import type { Item } from '../../shared/operations/operation';
import { readPersonalDataMode } from '../../shared/personalData/options';
import { textOf } from '../../shared/utils/primitiveText';

export interface FileLink {
	url: string;
	id?: unknown;
	documentId?: unknown;
	filetype?: unknown;
	/** Without it, the file gets the host's name for it, or the end of the address. */
	name?: string;
	isEmpty?: boolean;
}

/** CP §2.10 */
const MIME_TYPES: ReadonlyMap<string, string> = new Map([
	['jpeg', 'image/jpeg'],
	['jpg', 'image/jpeg'],
	['png', 'image/png'],
	['pdf', 'application/pdf'],
	['csv', 'text/csv'],
	['json', 'application/json'],
]);
const formatOf = (one: unknown): string => textOf(one).trim().toLowerCase();

/** CP §2.10; undefined if the service gives no link. */
export function toFileLink(association: IDataObject, documentId: unknown): FileLink | undefined {
	const { url, filetype, filelabel, originalFilename, id, size } = association;
	if (typeof url !== 'string' || url === '') return undefined;
	const labelled = [filelabel, filetype].map(textOf).filter(Boolean).join('.');
	const name = plainFileName(textOf(originalFilename) || (filelabel ? labelled : ''));
	return { url, id, documentId, filetype, ...(name && { name }), isEmpty: size === 0 };
}

/** A link that is no web address has none. */
export const originOf = (url: string): string | undefined =>
	/^https?:/i.test(url) && URL.canParse(url) ? new URL(url).origin : undefined;

/** Removes path separators and invisible characters; '' is left of a name of dots. */
const plainFileName = (name: string): string =>
	name
		.replace(/[\\/]/g, '_')
		.replace(/\p{C}/gu, '')
		.replace(/^[.\s]+$/, '');

/** The host's own name comes first (RFC 6266), then the end of the address. */
function nameAt(url: string, headers: IDataObject): string {
	const declared = textOf(headers['content-disposition']);
	const encoded = /filename\*=UTF-8'[^']*'([^;\s]+)/i.exec(declared)?.[1];
	const plain =
		/filename="([^"]+)"/i.exec(declared)?.[1] ?? /filename=([^;\s"]+)/i.exec(declared)?.[1];
	if (!encoded && plain) return plainFileName(plain);
	const raw = encoded ?? endOf(url);
	try {
		return plainFileName(decodeURIComponent(raw));
	} catch {
		return plainFileName(raw); // a percent sign that encodes nothing
	}
}

const endOf = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

const endingOf = (name: string): string => /\.(\w{1,5})$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** The host's Content-Type as n8n reads one, without parameters; '' where it says none, or only that it is bytes. */
export function contentTypeFromHeaders(headers: IDataObject): string {
	const [type] = textOf(headers['content-type']).toLowerCase().split(';');
	const [plain = ''] = /^[\w.+-]+\/[\w.+-]+/.exec(type.trim()) ?? [];
	return plain.endsWith('/octet-stream') ? '' : plain;
}

/** A host may send html, json or xml instead of the file's own format. */
export function typeOfPageInstead({ url, filetype }: FileLink, type: string): string | undefined {
	const format = formatOf(filetype) || endingOf(endOf(url));
	const page = /\b(html|xhtml|json|xml)\b/.exec(type)?.[1];
	return page !== format && MIME_TYPES.has(format) ? page : undefined;
}

/** The type of a file: as the service says, or its host, or the end of its name where the host names none. */
export const chooseMimeTypeAmongSources = (
	{ filetype }: FileLink,
	type: string,
	fileName: string,
): string =>
	MIME_TYPES.get(formatOf(filetype)) ??
	(type || (MIME_TYPES.get(endingOf(fileName)) ?? 'application/octet-stream'));

/** Returns a file's name, behind the ID of its document: the files of several people are often called the same. */
export function outputFileName(item: Item, link: FileLink, headers: IDataObject): string {
	const document = textOf(link.documentId);
	const name = nameOf(item, link, headers);
	return /^\d+$/.test(document) ? `${document}-${name}` : name;
}

/** Where personal data is protected, a name that a person may have chosen is left out. */
function nameOf(item: Item, link: FileLink, headers: IDataObject): string {
	if (readPersonalDataMode(item.options) === 'full')
		return link.name ?? (nameAt(link.url, headers) || 'file');
	const type = [formatOf(link.filetype), endingOf(endOf(link.url))].find((one) =>
		MIME_TYPES.has(one),
	);
	const number = typeof link.id === 'number' ? `-${link.id}` : '';
	return `file${number}${type ? `.${type}` : ''}`;
}

export const errorFileNameAndIds = (item: Item, link: FileLink): FileNameAndIds => ({
	...(link.name && { name: nameOf(item, link, {}) }),
	...('documentId' in link && { id: textOf(link.id), documentId: textOf(link.documentId) }),
});
