import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  crc32,
  createGunzip,
  createZstdDecompress,
  inflateRawSync,
  type Zlib,
  zstdDecompressSync,
} from 'node:zlib';

/** Bytes per read of a file; an import keeps a few such chunks in memory. */
export const CHUNK_BYTES = 1 << 20;

/** Maximum bytes of a member, packed or unpacked; a larger one is read as a stream, and reading can resume only at its start. */
const MEMBER_BYTES_MAX = 16 << 20;
const WINDOW_BYTES = 1 << 18;
const GZIP_MAGIC = 0x8b1f;
const ZSTD_MAGIC = 0xfd2fb528;
const ZSTD_SKIPPABLE = 0x184d2a50;
const OTHERS: [name: string, magic: string, command: string][] = [
  ['bzip2', '425a68', 'bzip2 -d'],
  ['xz', 'fd377a585a00', 'xz -d'],
  ['7-Zip', '377abcaf271c', '7z x'],
  ['zip', '504b0304', 'unzip'],
];
/** `info` makes zlib report how much input was used; Node's types lack it. */
const buildOptions = (): { maxOutputLength: number } =>
  ({ info: true, chunkSize: WINDOW_BYTES, maxOutputLength: MEMBER_BYTES_MAX }) as { maxOutputLength: number };
/** Maximum expansion: text shrinks about ten times, template-heavy files about a hundred times; far more is a decompression bomb. */
const EXPANSION_MAX = 1_000;
const UNCHECKED_BYTES = 1 << 30;

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

/** `origin`: the place in the file at which decoding can begin with this piece; null if it cannot. */
type DecodedPiece = { bytes: Buffer; origin: number | null };

/**
 * Yields the bytes of a source from a place on, decoded from gzip or zstd. Files of many members (a WARC has one per record) give a piece
 * for each, so that reading can resume at any of them. Throws for other codings, naming the command that removes them.
 */
async function* decodeBytes(source: ByteSource, from: number): AsyncGenerator<DecodedPiece> {
  const start = await source.read(0, 8);
  const coding = detectCoding(start, source.name);
  if (coding === 'none') yield* readPlainPieces(source, from);
  else yield* decodeMembers(source, from, coding);
}

type Coding = 'none' | 'gzip' | 'zstd';

function detectCoding(start: Buffer, name: string): Coding {
  if (start.length >= 2 && start.readUInt16LE(0) === GZIP_MAGIC) return 'gzip';
  const magic = start.length >= 4 ? start.readUInt32LE(0) : 0;
  if (magic === ZSTD_MAGIC || (magic & ~0xf) >>> 0 === ZSTD_SKIPPABLE) return 'zstd';
  const other = OTHERS.find(([, bytes]) => start.toString('hex').startsWith(bytes));
  if (other !== undefined)
    throw new Error(`${name} is compressed with ${other[0]}; unpack it first (${other[2]})`);
  return 'none';
}

async function* readPlainPieces(source: ByteSource, from: number): AsyncGenerator<DecodedPiece> {
  for (let at = from; at < source.size; at += CHUNK_BYTES)
    yield { bytes: await source.read(at, at + CHUNK_BYTES), origin: at };
}

/** Decodes member by member, reading ahead, because most members are smaller than a read. */
async function* decodeMembers(
  source: ByteSource,
  from: number,
  coding: 'gzip' | 'zstd',
): AsyncGenerator<DecodedPiece> {
  let at = from;
  const bound = createExpansionBound(source.name);
  let window = Buffer.alloc(0);
  let windowAt = from;
  while (at < source.size) {
    const held = window.subarray(at - windowAt);
    const member = held.length === 0 ? 'cut' : unpackMember(held, coding, source.name);
    if (typeof member === 'object') {
      if (member.bytes.length > 0) yield { bytes: member.bytes, origin: at };
      at += member.packed;
      bound(member.bytes.length, at - from);
    } else if (member === 'large' || held.length >= Math.min(MEMBER_BYTES_MAX, source.size - at)) {
      yield* decodeStream(source, at, coding);
      return;
    } else {
      const bytes = Math.max(CHUNK_BYTES, 4 * held.length);
      window = await source.read(at, at + bytes);
      windowAt = at;
    }
  }
}

/** Unpacks a whole member and returns its packed length; 'cut': it does not end within `bytes`; 'large': it is too large for memory. */
function unpackMember(
  bytes: Buffer,
  coding: 'gzip' | 'zstd',
  name: string,
): { bytes: Buffer; packed: number } | 'cut' | 'large' {
  try {
    return coding === 'gzip' ? unpackGzip(bytes) : unpackZstd(bytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR' || error instanceof RangeError || code === 'ZSTD_error_srcSize_wrong')
      return code === 'ERR_BUFFER_TOO_LARGE' ? 'large' : 'cut';
    throw new Error(`${name} is damaged: ${(error as Error).message}`, { cause: error });
  }
}

type InflateResult = { buffer: Buffer; engine: Zlib };

/** Unpacks a gzip member (RFC 1952). */
function unpackGzip(bytes: Buffer): { bytes: Buffer; packed: number } {
  if (bytes.readUInt16LE(0) !== GZIP_MAGIC) throw new Error('a gzip member begins with other bytes');
  const flags = bytes.readUInt8(3);
  let at = 10;
  if (flags & 4) at += 2 + bytes.readUInt16LE(at);
  for (const flag of [8, 16]) if (flags & flag) at = bytes.indexOf(0, at) + 1 || bytes.length;
  if (flags & 2) at += 2;
  const { buffer, engine } = inflateRawSync(bytes.subarray(at), buildOptions()) as unknown as InflateResult;
  const end = at + engine.bytesWritten;
  if (bytes.readUInt32LE(end) !== crc32(buffer)) throw new Error('the checksum of a gzip member is wrong');
  return { bytes: buffer, packed: end + 8 };
}

function unpackZstd(bytes: Buffer): { bytes: Buffer; packed: number } {
  // A skippable frame holds a dictionary, or a table for seeking.
  if ((bytes.readUInt32LE(0) & ~0xf) >>> 0 === ZSTD_SKIPPABLE) {
    if (bytes.readUInt32LE(0) === 0x184d2a5d)
      throw new Error(
        'it is compressed with a dictionary, which is not supported; unpack it first (zstd -d)',
      );
    return { bytes: Buffer.alloc(0), packed: 8 + bytes.readUInt32LE(4) };
  }
  const { buffer, engine } = zstdDecompressSync(bytes, buildOptions()) as unknown as InflateResult;
  return { bytes: buffer, packed: engine.bytesWritten };
}

/** Decodes a large member and everything behind it as a stream; decoding can begin only at its start. */
async function* decodeStream(
  source: ByteSource,
  from: number,
  coding: 'gzip' | 'zstd',
): AsyncGenerator<DecodedPiece> {
  const bound = createExpansionBound(source.name);
  let taken = 0;
  const packed = Readable.from(
    (async function* () {
      for await (const { bytes } of readPlainPieces(source, from)) {
        taken += bytes.length;
        yield bytes;
      }
    })(),
  );
  const options = { chunkSize: WINDOW_BYTES };
  const stream = coding === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
  packed.once('error', (error) => stream.destroy(error));
  let origin: number | null = from;
  try {
    for await (const bytes of packed.pipe(stream)) {
      bound(bytes.length, taken);
      yield { bytes, origin };
      origin = null;
    }
  } catch (error) {
    if ((error as Error).message.startsWith(source.name)) throw error;
    throw new Error(`${source.name} is damaged: ${(error as Error).message}`, { cause: error });
  } finally {
    packed.destroy();
    stream.destroy();
  }
}

/** Creates a check that throws once the data expands beyond the maximum. */
function createExpansionBound(name: string): (unpacked: number, packedSoFar: number) => void {
  let total = 0;
  return (unpacked, packedSoFar) => {
    total += unpacked;
    if (total > UNCHECKED_BYTES && total > EXPANSION_MAX * packedSoFar)
      throw new Error(`${name} unpacks to more than ${EXPANSION_MAX} times its size`);
  };
}

/** Bytes with random access: a local file, a file on the web, or a part of one. */
export type ByteSource = {
  /** A path or an address, for messages. */
  name: string;
  size: number;
  /** Resolves to the bytes from `start` up to `end`, or to the end of the source, in a new buffer. */
  read(start: number, end: number): Promise<Buffer<ArrayBuffer>>;
  close(): Promise<void>;
};

/** Opens a local file. */
export async function openFileBytes(path: string): Promise<ByteSource> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  return {
    name: path,
    size,
    async read(start, end) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(end, size) - start));
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`);
        filled += bytesRead;
      }
      return bytes;
    },
    close: () => file.close(),
  };
}
