const ENTITIES: ReadonlyMap<string, string> = new Map([
	['amp', '&'],
	['lt', '<'],
	['gt', '>'],
	['quot', '"'],
	['apos', "'"],
]);

/** Decodes one level only. */
export function decodeJsonHtmlUrlEscapes(text: string): string {
	if (!/[\\&%]/.test(text)) return text;
	return text
		.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
		.replace(/\\(["'\\/])/g, '$1')
		.replace(/&#(x?)([0-9a-f]{1,7});/gi, (all, hex: string, code: string) => {
			const point = parseInt(code, hex ? 16 : 10);
			return point <= 0x10ffff ? String.fromCodePoint(point) : all;
		})
		.replace(/&([a-z]{2,4});/g, (all, name: string) => ENTITIES.get(name) ?? all)
		.replace(/(?:%[0-9a-f]{2})+/gi, (all) =>
			fromBytes(Buffer.from(all.replaceAll('%', ''), 'hex')),
		);
}

/** Reads UTF-8, or Latin-1 where the bytes are none. */
function fromBytes(bytes: Buffer): string {
	const text = bytes.toString();
	return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}
