import { UserError, type IDataObject } from 'n8n-workflow';
import { codeOf, type Problem } from '../http/problem';
import { sentences } from '../utils/sentences';
import type { Words } from './words';

/** Why a file was not downloaded. Data only: `renderFile` writes the words. */
export type FileProblem =
	| Extract<Problem, { kind: 'status' | 'network' | 'rateLimit' | 'cancelled' }>
	/** It is no address of the web. */
	| { kind: 'link' }
	| { kind: 'tooLarge'; megabytes: number }
	/** Nothing came for so long. */
	| { kind: 'silent'; ms: number }
	/** All attempts together took longer than this. */
	| { kind: 'slow'; minutes: number }
	/** In its place came something else: "HTML", "an empty answer". */
	| { kind: 'instead'; what: string };

/** Which file it is. */
export interface FileWords {
	name?: string;
	id?: string;
	documentId?: string;
}

/** A file that was not downloaded. Its link is in no error, for it may open the file to whoever has it. */
export class FileError extends UserError {
	/** Stable, for programs and tests: "file.status.404", "file.tooLarge". */
	readonly code: string;
	/** Which file it is. */
	readonly data: IDataObject;

	constructor(
		readonly problem: FileProblem,
		file: FileWords,
	) {
		const { message, description } = renderFile(problem, file);
		super(message, { description });
		const { id: fileId, documentId } = file;
		this.data = documentId ? { fileId, documentId } : {};
		this.code = `file.${problem.kind === 'status' ? codeOf(problem) : problem.kind}`;
	}
}

/** The sentences about a file that was not downloaded. */
function renderFile(problem: FileProblem, { name, id, documentId }: FileWords): Words {
	const [message, todo] = tell(problem, name ? `"${name}"` : 'The file');
	const whose = !documentId ? '' : `It is file ${id} of document ${documentId}`;
	return { message, description: sentences(whose, ...todo) };
}

const ENDED =
	'A link to a file works for 24 hours after the document was read. Read the document again, then download at once';
const MAY_WANT_TOKEN =
	'If that fails too, its host may want a token, which this node never sends with a link. Ask your provider how to fetch its files';
const LATER = 'Try again later';

function tell(problem: FileProblem, called: string): [message: string, todo: string[]] {
	switch (problem.kind) {
		case 'link':
			return [
				'The link to the file is not an address that begins with https://',
				["Check the expression that fills 'File URL' for this item."],
			];
		case 'tooLarge':
			return [
				`${called} is larger than ${problem.megabytes} MB`,
				["Raise 'Max File Size (MB)', or leave this file out."],
			];
		case 'status':
			return [
				`${called} could not be downloaded: its host answered with status ${problem.status}`,
				[
					[400, 401, 403, 404, 410].includes(problem.status) ? ENDED : LATER,
					[401, 403].includes(problem.status) ? MAY_WANT_TOKEN : '',
				],
			];
		case 'instead':
			return [`${called} could not be downloaded: its host gave ${problem.what} instead`, [ENDED]];
		case 'network': {
			const code = problem.code ? ` (${problem.code})` : '';
			const reach = `Check that this n8n may reach the host of the file${code}`;
			return [`${called} could not be downloaded: the connection broke`, [LATER, reach]];
		}
		case 'silent':
			return [
				`${called} could not be downloaded: nothing came from its host for ${problem.ms / 1000} seconds`,
				["Try again later, or raise 'Timeout (Seconds)'."],
			];
		case 'slow':
			return [
				`${called} could not be downloaded within ${problem.minutes} minutes`,
				['Its host is slow. Try again later.'],
			];
		case 'rateLimit':
			return [
				`${called} could not be downloaded: waited ${(problem.waitedMs / 1000).toFixed(1)} s for a turn at its host`,
				[
					'Too many files are downloaded from it at a time. Run fewer executions, or try again later.',
				],
			];
		case 'cancelled':
			return ['The execution was cancelled', []];
	}
}
