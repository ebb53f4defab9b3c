import { Inflate } from 'fflate';
import { createFetchFailure } from '../../../contract/errors.ts';

/** Bounds of one archive: the number of its files, and the bytes of everything that is unpacked from it. */
const FILES_MAX = 10_000;
const UNPACKED_BYTES_MAX = 134_217_728;
/** Size of the record at the end, which a comment may follow. */
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const SIGNATURE = { end: 0x06054b50, entry: 0x02014b50, file: 0x04034b50 };
const STORED = 0;
const DEFLATED = 8;

/** The files of a zip archive by name. */
export type Zip = {
  names: string[];
  has(name: string): boolean;
  /** Returns the bytes of a file; null when there is none. Throws `fetch_failed` when it unpacks beyond the bounds. */
  bytes(name: string): Uint8Array | null;
  /** Returns a file as UTF-8 text, '' when there is none. */
  text(name: string): string;
};

type Entry = { method: number; packed: number; at: number };

/** Reads the list of files of an archive (APPNOTE.TXT 4.3); the files themselves are unpacked on demand. */
export function openZip(archive: Uint8Array): Zip {
  const data = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const entries = readEntries(data);
  let left = UNPACKED_BYTES_MAX;
  const readBytes = (name: string): Uint8Array | null => {
    const entry = entries.get(name);
    if (entry === undefined) return null;
    const unpacked = unpack(data, entry, left);
    left -= unpacked.length;
    return unpacked;
  };
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    bytes: readBytes,
    text: (name) => new TextDecoder().decode(readBytes(name) ?? new Uint8Array()),
  };
}

function readEntries(data: Buffer): Map<string, Entry> {
  const end = findEnd(data);
  const count = data.readUInt16LE(end + 10);
  let at = data.readUInt32LE(end + 16);
  if (count > FILES_MAX)
    throw createFetchFailure('undecodable', `the archive has ${count} files; at most ${FILES_MAX} are read`);
  const entries = new Map<string, Entry>();
  for (let entry = 0; entry < count; entry += 1) {
    if (at + 46 > data.length || data.readUInt32LE(at) !== SIGNATURE.entry) throw createDamagedFailure();
    const flags = data.readUInt16LE(at + 8);
    const lengths = [28, 30, 32].map((place) => data.readUInt16LE(at + place));
    const [nameBytes = 0, extraBytes = 0, commentBytes = 0] = lengths;
    const name = data.toString('utf8', at + 46, at + 46 + nameBytes);
    if ((flags & 1) !== 0)
      throw createFetchFailure('undecodable', 'the file is encrypted: it opens only with a password');
    entries.set(name, {
      method: data.readUInt16LE(at + 10),
      packed: data.readUInt32LE(at + 20),
      at: data.readUInt32LE(at + 42),
    });
    at += 46 + nameBytes + extraBytes + commentBytes;
  }
  return entries;
}

function findEnd(data: Buffer): number {
  const first = Math.max(0, data.length - END_BYTES - COMMENT_BYTES_MAX);
  for (let at = data.length - END_BYTES; at >= first; at -= 1)
    if (data.readUInt32LE(at) === SIGNATURE.end) return at;
  throw createDamagedFailure();
}

function unpack(data: Buffer, { method, packed, at }: Entry, left: number): Uint8Array {
  if (at + 30 > data.length || data.readUInt32LE(at) !== SIGNATURE.file) throw createDamagedFailure();
  const start = at + 30 + data.readUInt16LE(at + 26) + data.readUInt16LE(at + 28);
  const file = data.subarray(start, start + packed);
  if (file.length !== packed || (method !== STORED && method !== DEFLATED)) throw createDamagedFailure();
  if (method === STORED && packed <= left) return file;
  return inflateWithin(file, left);
}

/** Packed bytes that are unpacked in one step, which bounds what a step can add: deflate shrinks at most about a thousand times. */
const STEP_BYTES = 65_536;

/**
 * Unpacks a file. Not by Node's zlib: a thread that is ended while it opens one of its handles takes the whole process with it, and this
 * thread is ended when a hostile file keeps it busy.
 */
function inflateWithin(packed: Uint8Array, bytesMax: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let hasEnded = false;
  const inflate = new Inflate((piece, isLast) => {
    size += piece.length;
    if (size > bytesMax) throw createTooLargeFailure();
    pieces.push(piece);
    hasEnded ||= isLast;
  });
  try {
    for (let at = 0; at < packed.length; at += STEP_BYTES)
      inflate.push(packed.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= packed.length);
  } catch (error) {
    // The library's own errors have numbers.
    if (typeof (error as { code?: unknown }).code === 'number') throw createDamagedFailure();
    throw error;
  }
  if (!hasEnded) throw createDamagedFailure();
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

const createDamagedFailure = (): Error =>
  createFetchFailure('undecodable', 'the file is damaged and cannot be unpacked');
const createTooLargeFailure = (): Error =>
  createFetchFailure('undecodable', `the file unpacks to more than ${UNPACKED_BYTES_MAX / 1_048_576} MB`);
