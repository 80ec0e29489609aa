import { UserError, type IDataObject } from 'n8n-workflow';
import { problemCode, type RequestProblem } from './requestProblem';
import { joinSentences } from '../utils/joinSentences';
import { ADVICE } from './advice';

/** `renderFileProblem` writes the sentences. */
export type DownloadProblem =
	| Extract<RequestProblem, { kind: 'status' | 'network' | 'rateLimit' | 'cancelled' }>
	/** The link is no address of the web. */
	| { kind: 'link' }
	| { kind: 'tooLarge'; megabytes: number }
	/** No data came for this long. */
	| { kind: 'silent'; ms: number }
	/** All attempts together took longer than this. */
	| { kind: 'slow'; minutes: number }
	/** Something else came in its place: "HTML", "an empty response". */
	| { kind: 'instead'; what: string };

/** The file's name and IDs, as far as they are known. */
export interface FileNameAndIds {
	name?: string;
	id?: string;
	documentId?: string;
}

/** A file that was not downloaded. Its link is in no error, for it may open the file to whoever has it. */
export class DownloadError extends UserError {
	/** Stable, for programs and tests: "file.status.404", "file.tooLarge". */
	readonly code: string;
	readonly data: IDataObject;

	constructor(
		readonly problem: DownloadProblem,
		{ name, id: fileId, documentId }: FileNameAndIds,
	) {
		const called = name ? `"${name}"` : 'The file';
		const [message, ...todo] = renderFileProblem(problem, called, documentId !== undefined);
		const whose = documentId && `It is file ${fileId} of document ${documentId}`;
		super(message, { description: joinSentences(whose, ...todo) });
		this.data = documentId ? { fileId, documentId } : {};
		this.code = codeOf(problem);
	}
}

const codeOf = (problem: DownloadProblem): string => {
	if (problem.kind === 'cancelled') return 'cancelled'; // as of any request
	return `file.${problem.kind === 'status' ? problemCode(problem) : problem.kind}`;
};

const LINK_ENDED = 'A link works for 24 hours: read the document again, then download at once';
const MAY_WANT_TOKEN =
	'If that fails, its host may want a token, which this node never sends: ask your provider';

function renderFileProblem(
	problem: DownloadProblem,
	called: string,
	isOfDocument: boolean,
): [message: string, ...todo: string[]] {
	const failed = `${called} could not be downloaded`;
	switch (problem.kind) {
		case 'link':
			return [
				'The link to the file is not an address that begins with https://',
				isOfDocument
					? "To have its link, read the document again, with 'Personal Data' set to Full"
					: "Check the expression that fills 'File URL' for this item",
			];
		case 'tooLarge':
			return [
				`${called} is larger than ${problem.megabytes} MB`,
				"Raise 'Max File Size (MB)', or leave this file out",
			];
		case 'status':
			return [
				`${failed}: its host answered with status ${problem.status}`,
				[400, 401, 403, 404, 410].includes(problem.status) ? LINK_ENDED : ADVICE.tryLater,
				[401, 403].includes(problem.status) ? MAY_WANT_TOKEN : '',
			];
		case 'instead':
			return [`${failed}: its host gave ${problem.what} instead`, LINK_ENDED];
		case 'network': {
			const code = problem.code ? ` (${problem.code})` : '';
			const reach = `Check that this n8n may reach its host${code}`;
			return [`${failed}: the connection broke`, ADVICE.tryLater, reach];
		}
		case 'silent':
			return [
				`${failed}: nothing came from its host for ${problem.ms / 1000} seconds`,
				"Try again later, or raise 'Timeout (Seconds)'",
			];
		case 'slow':
			return [`${failed} within ${problem.minutes} minutes`, ADVICE.tryLater];
		case 'rateLimit':
			return [
				`${failed}: waited ${(problem.waitedMs / 1000).toFixed(1)} s for a turn at its host`,
				'Run fewer executions at a time, or try again later',
			];
		case 'cancelled':
			return ['The execution was cancelled'];
	}
}
