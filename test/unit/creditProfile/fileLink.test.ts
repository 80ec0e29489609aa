import type { Item } from '../../../nodes/shared/operations/operation';
import { outputFileName } from '../../../nodes/CreditProfile/files/link';

const item = { options: {} } as Item;
/** The name of a file that the host declares, encoded as it is. */
const nameUnder = (encoded: string) =>
	outputFileName(
		item,
		{ url: 'https://files.example/x' },
		{ 'content-disposition': `attachment; filename*=UTF-8''${encoded}` },
	);

describe('the name that a host gives a file', () => {
	it('holds no path, though a percent sign in it encodes nothing', () => {
		expect(nameUnder('../../../etc/cron.d/100%zz')).toBe('.._.._.._etc_cron.d_100%zz');
	});

	it.each([
		['..', 'file'],
		['.', 'file'],
		['a\u0000b.pdf', 'ab.pdf'],
		['a\r\nb.pdf', 'ab.pdf'],
		['a\u202efdp.exe', 'afdp.exe'],
	])('of %j becomes %j, without invisible characters', (name, usable) => {
		expect(nameUnder(encodeURIComponent(name))).toBe(usable);
	});
});
