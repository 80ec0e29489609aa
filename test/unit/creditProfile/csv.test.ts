import type { Readable } from 'node:stream';
import type { IDataObject } from 'n8n-workflow';
import { writeFile, type FileFormat } from '../../../nodes/CreditProfile/files/csv';
import type { Item } from '../../../nodes/shared/operations/operation';

const PAGES = 50;

/** Serves pages of a list, and counts the requests. */
function list() {
	const seen = { pages: 0 };
	async function* pages(): AsyncGenerator<IDataObject[]> {
		for (; seen.pages < PAGES; seen.pages++) yield [{ id: seen.pages, name: 'a,"b"\nc' }];
	}
	return { seen, pages: pages() };
}

/** An item whose files go where `store` takes them. */
const itemWith = (store: (content: Readable) => Promise<unknown>) =>
	({
		protect: (row: IDataObject) => row,
		files: { prepareBinaryData: async (content: Readable) => await store(content) },
	}) as unknown as Item;

const write = async (item: Item, pages: AsyncIterable<IDataObject[]>, format: FileFormat) =>
	await writeFile(item, pages, {
		format,
		lastColumns: ['id', 'more'],
		name: 'list',
	});

describe('a list that goes into a file', () => {
	it('is read no further than it is written', async () => {
		const { seen, pages } = list();
		const ahead: number[] = [];
		let written = 0;
		const store = async (content: Readable) => {
			for await (const chunk of content) {
				written += String(chunk).split('\n').length - 1;
				ahead.push(seen.pages - written);
			}
		};
		const { rows } = await write(itemWith(store), pages, 'ndjson');
		expect(rows).toBe(PAGES);
		expect(Math.max(...ahead)).toBeLessThanOrEqual(2);
	});

	it('is one of lines, quoted as RFC 4180 says', async () => {
		let text = '';
		const store = async (content: Readable) => {
			for await (const chunk of content) text += String(chunk);
		};
		await write(itemWith(store), list().pages, 'csvPlain');
		expect(text.slice(0, 24)).toBe('name,id\r\n"a,""b""\nc",0\r\n');
	});

	it.each([
		['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
		['@SUM(A1)', "'@SUM(A1)"],
		['+52 55 1234', "'+52 55 1234"],
		[' =1+1', "' =1+1"],
		['\u00a0\u200b=1+1', "'\u00a0\u200b=1+1"],
		['\tx', "'\tx"],
		['＝1+1', "'＝1+1"],
		['-12.5', '-12.5'],
		[-12.5, '-12.5'],
	])('protects a sheet from %j as a formula and leaves it to programs', async (name, cell) => {
		async function* one(): AsyncGenerator<IDataObject[]> {
			yield [{ id: 1, name }];
		}
		let text = '';
		const store = async (content: Readable) => {
			for await (const chunk of content) text += String(chunk);
		};
		await write(itemWith(store), one(), 'csv');
		expect(text).toContain(`${cell},1`);
		text = '';
		await write(itemWith(store), one(), 'csvPlain');
		const plain = String(name);
		expect(text).toContain(
			plain.includes('"') ? `"${plain.replaceAll('"', '""')}",1` : `${plain},1`,
		);
	});

	it('fails with what failed while it was read', async () => {
		async function* broken(): AsyncGenerator<IDataObject[]> {
			yield [{ id: 1 }];
			throw new TypeError('The second page did not come');
		}
		const store = async (content: Readable) => {
			for await (const chunk of content) void chunk;
		};
		await expect(write(itemWith(store), broken(), 'csvPlain')).rejects.toThrow('The second page');
	});

	it('is no longer read where it cannot be written', async () => {
		const { seen, pages } = list();
		const full = async (content: Readable) => {
			content.destroy();
			throw new Error('The disk is full');
		};
		await expect(write(itemWith(full), pages, 'csvPlain')).rejects.toThrow('The disk is full');
		expect(seen.pages).toBeLessThanOrEqual(2);
	});
});

describe('a cell of a CSV', () => {
	const csvOf = async (rows: IDataObject[], format: FileFormat) => {
		async function* pages(): AsyncGenerator<IDataObject[]> {
			yield rows;
		}
		let text = '';
		const store = async (content: Readable) => {
			for await (const chunk of content) text += String(chunk);
		};
		await write(itemWith(store), pages(), format);
		return text;
	};

	it.each(['constructor', 'toString', 'valueOf'])(
		'is empty for a row without the column, though it is called %s',
		async (column) => {
			const rows = [{ [column]: 'Casas ARA', id: 1 }, { id: 2 }];
			expect(await csvOf(rows, 'csvPlain')).toBe(`${column},id\r\nCasas ARA,1\r\n,2\r\n`);
		},
	);

	it('keeps the plus sign of a phone number as text in a sheet', async () => {
		const text = await csvOf([{ phone: '+525512345678', id: 1 }], 'csv');
		expect(text).toBe("\uFEFFphone,id\r\n'+525512345678,1\r\n");
	});
});
