import { DownloadError, type DownloadProblem } from '../../../../nodes/shared/errors/downloadError';

const FILE = { name: 'ine.pdf', id: '71', documentId: '2' };

/** What an operator reads about a file that was not downloaded. */
it.each<[DownloadProblem, message: (file: string) => string, RegExp]>([
	[
		{ kind: 'link' },
		() => 'The link to the file is not an address that begins with https://',
		/read the document again.*'Personal Data' set to Full/,
	],
	[{ kind: 'tooLarge', megabytes: 1 }, (file) => `${file} is larger than 1 MB`, /Max File Size/],
	[
		{ kind: 'status', status: 404 },
		(file) => `${file} could not be downloaded: its host answered with status 404`,
		/works for 24 hours(?!.*token)/,
	],
	[
		{ kind: 'status', status: 403 },
		(file) => `${file} could not be downloaded: its host answered with status 403`,
		/works for 24 hours.*its host may want a token/,
	],
	[
		{ kind: 'instead', what: 'HTML' },
		(file) => `${file} could not be downloaded: its host gave HTML instead`,
		/works for 24 hours/,
	],
	[
		{ kind: 'network', code: '' },
		(file) => `${file} could not be downloaded: the connection broke`,
		/Try again later/,
	],
	[
		{ kind: 'silent', ms: 500 },
		(file) => `${file} could not be downloaded: nothing came from its host for 0.5 seconds`,
		/Timeout \(Seconds\)/,
	],
])('about %j', (problem, message, description) => {
	const named = new DownloadError(problem, FILE);
	expect(named.message).toBe(message('"ine.pdf"'));
	expect(named.description).toMatch(/^It is file 71 of document 2\. /);
	expect(named.description).toMatch(description);
	expect(new DownloadError(problem, {}).message).toBe(message('The file'));
});

it("names 'File URL' about a link that was given alone", () => {
	expect(new DownloadError({ kind: 'link' }, {}).description).toMatch(/'File URL'/);
	expect(new DownloadError({ kind: 'link' }, FILE).description).not.toMatch(/'File URL'/);
});
