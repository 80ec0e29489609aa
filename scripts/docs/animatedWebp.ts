/** The chunks of a WebP file: joins still pictures to one that moves, and reads how long that lasts. */

export interface Frame {
	/** A still WebP picture. */
	picture: Buffer;
	milliseconds: number;
}

type Chunk = [name: string, data: Buffer];

/** "RIFF", the length, "WEBP". */
const HEAD = 12;
const CHUNK_HEAD = 8;
/** Place, size, duration and flags of a frame. */
const FRAME_HEAD = 16;
const DURATION = 12;
const MOVES = 0b10;
const REPLACES = 0b10;

function chunksOf(file: Buffer): Chunk[] {
	const chunks: Chunk[] = [];
	for (let at = HEAD; at + CHUNK_HEAD <= file.length;) {
		const start = at + CHUNK_HEAD;
		const end = start + file.readUInt32LE(at + 4);
		chunks.push([file.toString('latin1', at, at + 4), file.subarray(start, end)]);
		at = end + (end % 2);
	}
	return chunks;
}

function chunk(name: string, ...parts: Buffer[]): Buffer {
	const data = Buffer.concat(parts);
	const head = Buffer.alloc(CHUNK_HEAD);
	head.write(name, 'latin1');
	head.writeUInt32LE(data.length, 4);
	return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** A picture that shows the frames, all of one size, one after the other, and begins again. */
export function animate(frames: Frame[], { width, height }: { width: number; height: number }) {
	const canvas = Buffer.alloc(10);
	canvas[0] = MOVES;
	canvas.writeUIntLE(width - 1, 4, 3);
	canvas.writeUIntLE(height - 1, 7, 3);
	const moving = frames.map(({ picture, milliseconds }) => {
		const head = Buffer.alloc(FRAME_HEAD);
		head.writeUIntLE(width - 1, 6, 3);
		head.writeUIntLE(height - 1, 9, 3);
		head.writeUIntLE(milliseconds, DURATION, 3);
		head[FRAME_HEAD - 1] = REPLACES;
		const pixels = chunksOf(picture).filter(([name]) => /^(VP8 |VP8L|ALPH)$/.test(name));
		return chunk('ANMF', head, ...pixels.map(([name, data]) => chunk(name, data)));
	});
	const always = Buffer.alloc(6); // on any ground, as often as the reader stays
	const chunks = [chunk('VP8X', canvas), chunk('ANIM', always), ...moving];
	return chunk('RIFF', Buffer.from('WEBP'), ...chunks);
}
