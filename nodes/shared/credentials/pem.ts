const BLOCK = /-----BEGIN ([^-\r\n]+)-----([^]*?)-----END \1-----/g;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** RFC 7468 §2: the length of a line that generators write. */
const PEM_LINE = /.{1,64}/g;

/**
 * Gives PEM blocks the line breaks that they have lost (RFC 7468). Blocks with their boundaries on lines of their
 * own, and texts without any, stay as they are. Undefined if a block is cut, or cannot be repaired: lost headers
 * (RFC 1421) cannot be told from the data.
 */
export function repairPem(text: string): string | undefined {
	const others = text.replace(BLOCK, '');
	if (/-----(BEGIN|END) /.test(others)) return undefined;
	let isBroken = false;
	const repaired = text.replace(BLOCK, (block: string, label: string, inside: string) => {
		if (/^[ \t]*\r?\n[^]*\n$/.test(inside)) return block;
		const data = inside.replace(/\s/g, '');
		isBroken ||= !BASE64.test(data);
		const lines = data.match(PEM_LINE) ?? [];
		return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n');
	});
	return isBroken ? undefined : repaired.replaceAll('----------', '-----\n-----');
}
