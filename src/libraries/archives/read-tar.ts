import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import type { ArchiveSink } from './archive-limits.ts';

const GZIP_MAGIC = [0x1f, 0x8b];
const PIECE_BYTES = 1 << 20;
/** Problems after which the rest of the archive cannot be trusted; others concern one entry, which is passed over. */
const FATAL = new Set(['TAR_BAD_ARCHIVE', 'TAR_ABORT']);
const FILE_TYPES = new Set(['File', 'OldFile', 'ContiguousFile']);

/** Reads a tar file, packed by gzip or not, in pieces, so that what it unpacks to is counted before it is kept. */
export async function readTar(bytes: Uint8Array, sink: ArchiveSink): Promise<void> {
  let failure: unknown = null;
  const fail = (error: unknown): void => {
    failure ??= error;
  };
  const parser = new Parser({
    onReadEntry(entry) {
      try {
        takeEntry(entry, sink, fail);
      } catch (error) {
        fail(error);
        entry.resume();
      }
    },
    onwarn(code, message) {
      if (FATAL.has(code)) fail(new Error(String(message)));
    },
  });
  parser.on('error', fail);
  const ended = new Promise<void>((resolve) => parser.on('end', resolve));
  let isFirst = true;
  for await (const piece of unpackPieces(bytes)) {
    // The parser would unpack a second layer itself, uncounted.
    if (isFirst && isGzip(piece)) throw new Error('it is packed twice');
    isFirst = false;
    sink.guard.countUnpacked(piece.length);
    parser.write(piece);
    if (failure !== null) throw failure;
  }
  parser.end();
  if (failure !== null) throw failure;
  await ended;
  if (failure !== null) throw failure;
}

const isGzip = (bytes: Uint8Array): boolean => GZIP_MAGIC.every((byte, at) => bytes[at] === byte);

async function* unpackPieces(bytes: Uint8Array): AsyncGenerator<Buffer> {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isGzip(bytes)) {
    const stream = Readable.from(splitPieces(packed)).pipe(createGunzip({ chunkSize: 1 << 16 }));
    for await (const piece of stream) yield piece as Buffer;
  } else yield* splitPieces(packed);
}

function* splitPieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function takeEntry(
  entry: ReadEntry,
  { guard, limits, keeps, add }: ArchiveSink,
  fail: (error: unknown) => void,
) {
  const { type, linkpath } = entry;
  const isLink = type === 'SymbolicLink' || type === 'Link';
  const path = guard.admit({
    path: entry.path,
    isFile: FILE_TYPES.has(type),
    link: isLink ? { target: linkpath ?? '', isHard: type === 'Link' } : null,
  });
  if (path === null || entry.size > limits.fileBytesMax || !keeps(path)) {
    entry.resume();
    return;
  }
  const pieces: Buffer[] = [];
  entry.on('data', (piece) => pieces.push(Buffer.from(piece)));
  entry.on('end', () => {
    try {
      add({ path, bytes: new Uint8Array(Buffer.concat(pieces)) });
    } catch (error) {
      fail(error);
    }
  });
}
