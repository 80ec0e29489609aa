import { parseFlags } from '../../sandbox/flags';
import { UsageError } from '../../sandbox/flagValues';
import { parseMapping } from '../../sandbox/apiMapping';

it.each([
	['--port abc', '--port must be a whole number (0 to 65535), not "abc"'],
	['--port 70000', '--port must be a whole number (0 to 65535), not "70000"'],
	['--host here', '--host must be an IP address such as 127.0.0.1 or 0.0.0.0, not "here"'],
	['--seed 1.5', '--seed must be a whole number (0 or more), not "1.5"'],
	[
		'--webhook-url ftp://x',
		'--webhook-url must be a URL beginning with http:// or https://, not "ftp://x"',
	],
	['--query-list xml', '--query-list must be array or page or summary, not "xml"'],
	['--list-order up', '--list-order must be newest or oldest or none, not "up"'],
	['--record thin', '--record must be full or no-response, not "thin"'],
	[
		'--status-words done=X',
		'--status-words must be like success=DONE,pending=WAIT,failed=ERROR,notFound=NONE',
	],
	[
		'--mapping tsconfig.json',
		'--mapping tsconfig.json: Mapping: "compilerOptions" is not known; known are creditProfile, taxQuery',
	],
	['--colour', "Unknown option '--colour'; --help lists the flags"],
	['--port', "Option '--port <value>' argument missing; --help lists the flags"],
])('%s is refused with one clear line', (args, line) => {
	expect(() => parseFlags(args.split(' '))).toThrow(new UsageError(line));
});

it.each([
	[{ taxQuery: { pathz: {} } }, 'Mapping: "taxQuery.pathz" is not known; known are paths, fields'],
	[{ taxQuery: { paths: { getX: 'a' } } }, 'Mapping: "taxQuery.paths.getX" is not known'],
	[{ creditProfile: { paths: { bureau: 5 } } }, 'Mapping: "creditProfile.paths.bureau": Expected'],
	[{ taxQuery: { fields: { getCrf: { rfc: '' } } } }, 'the sandbox needs this field'],
])('the mapping %j is refused by name', (mapping, message) => {
	expect(() => parseMapping(mapping)).toThrow(message);
});
