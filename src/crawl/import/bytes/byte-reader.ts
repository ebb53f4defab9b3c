import type { ByteSource } from './byte-source.ts';
import { type DecodedPiece, decodeBytes } from './decoded-bytes.ts';

/** A place in a file: where decoding begins, and the offset in decoded bytes from there. */
type BytePlace = readonly [origin: number, offset: number];

/** Reads decoded bytes in order; each call resolves to null, or to fewer bytes, only at the end. */
export type ByteReader = {
  /** Returns the place of the next byte, at which reading can resume. */
  place(): BytePlace;
  /** Returns the position in the file, for progress reports. */
  position(): number;
  read(bytes: number): Promise<Buffer>;
  skip(bytes: number): Promise<void>;
  /** Reads up to and including a delimiter; cuts records longer than `bytesMax`. Resolves to null at the end. */
  readThrough(delimiter: string, bytesMax: number): Promise<{ bytes: Buffer; isCut: boolean } | null>;
  /** Reads a line, without its line ending. */
  readLine(bytesMax: number): Promise<{ text: string; isCut: boolean } | null>;
};

/** Opens a reader at a place. */
export async function openByteReader(source: ByteSource, from: BytePlace): Promise<ByteReader> {
  const pieces = decodeBytes(source, from[0]);
  const reader = createReader(pieces, from[0]);
  await reader.skip(from[1]);
  return reader;
}

function createReader(pieces: AsyncIterator<DecodedPiece>, start: number): ByteReader {
  const held = createPieceBuffer(pieces, start);
  const { take, more } = held;
  const readThrough: ByteReader['readThrough'] = async (delimiter, bytesMax) => {
    const kept: Buffer[] = [];
    let isCut = false;
    let from = 0;
    for (;;) {
      const end = held.bytes().indexOf(delimiter, from);
      if (end !== -1) {
        const last = take(end + Buffer.byteLength(delimiter));
        return { bytes: isCut ? Buffer.concat(kept) : last, isCut };
      }
      if (held.bytes().length > bytesMax && !isCut) {
        kept.push(Buffer.from(held.bytes().subarray(0, bytesMax)));
        isCut = true;
      }
      // Only the beginning of a cut record stays in memory.
      if (isCut) take(Math.max(0, held.bytes().length - delimiter.length));
      from = Math.max(0, held.bytes().length - delimiter.length);
      if (await more()) continue;
      const rest = take(held.bytes().length);
      if (isCut) return { bytes: Buffer.concat(kept), isCut };
      return rest.length === 0 ? null : { bytes: rest, isCut };
    }
  };
  return {
    place: held.place,
    position: () => held.place()[0],
    async read(bytes) {
      while (held.bytes().length < bytes && (await more()));
      return take(bytes);
    },
    async skip(bytes) {
      let left = bytes;
      do left -= take(left).length;
      while (left > 0 && (await more()));
    },
    readThrough,
    async readLine(bytesMax) {
      const line = await readThrough('\n', bytesMax);
      if (line === null) return null;
      return { text: line.bytes.toString('utf8').replace(/\r?\n$/, ''), isCut: line.isCut };
    },
  };
}

/** Creates a buffer of decoded bytes that have been read but not taken yet. */
function createPieceBuffer(pieces: AsyncIterator<DecodedPiece>, start: number) {
  let held: Buffer = Buffer.alloc(0);
  /** Decoded offset of the first held byte. */
  let heldAt = 0;
  let origins: { origin: number; at: number }[] = [];
  let isEnded = false;
  return {
    bytes: () => held,
    async more(): Promise<boolean> {
      if (isEnded) return false;
      const { value, done } = await pieces.next();
      if (done) {
        isEnded = true;
        return false;
      }
      if (value.origin !== null) origins.push({ origin: value.origin, at: heldAt + held.length });
      held = held.length === 0 ? value.bytes : Buffer.concat([held, value.bytes]);
      return true;
    },
    take(bytes: number): Buffer {
      const taken = held.subarray(0, bytes);
      held = held.subarray(bytes);
      heldAt += taken.length;
      const last = origins.findLastIndex(({ at }) => at <= heldAt);
      if (last > 0) origins = origins.slice(last);
      return taken;
    },
    place(): BytePlace {
      const [known] = origins;
      return known === undefined ? [start, heldAt] : [known.origin, heldAt - known.at];
    },
  };
}
