import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import type { ArchiveSink } from './archive-limits.ts';

/** The upper half of the attributes is the Unix mode, if the archive was made there. */
const MODE_SHIFT = 16;
const MODE_TYPE = 0o170000;
const MODE_LINK = 0o120000;
const LINK_CHARS_MAX = 4_096;

/** Reads a zip file entry by entry: the directory is checked as it is read, and only chosen files are unpacked. */
export async function readZip(bytes: Uint8Array, sink: ArchiveSink): Promise<void> {
  const { guard, limits, keeps, add } = sink;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await openZipFile(data);
  if (zip.entryCount > limits.filesMax) throw guard.refuse(`it has more than ${limits.filesMax} files`);
  for await (const entry of listEntries(zip)) {
    const isLink = ((entry.externalFileAttributes >>> MODE_SHIFT) & MODE_TYPE) === MODE_LINK;
    const name = entry.fileNameRaw.toString('utf8');
    const isFile = !isLink && !name.endsWith('/');
    if (isLink && entry.uncompressedSize > LINK_CHARS_MAX)
      throw guard.refuse('it has a link that is too long');
    const target = isLink ? (await readEntry(zip, entry, sink)).toString('utf8') : null;
    const link = target === null ? null : { target, isHard: false };
    const path = guard.admit({ path: name, isFile, link });
    if (path === null || entry.uncompressedSize > limits.fileBytesMax || !keeps(path)) continue;
    add({ path, bytes: new Uint8Array(await readEntry(zip, entry, sink)) });
  }
}

/** Names are checked by the guard, in the same words for every kind of archive; sizes that lie are errors of the package. */
const openZipFile = (data: Buffer): Promise<ZipFile> =>
  promisify<Buffer, object, ZipFile>(fromBuffer)(data, {
    lazyEntries: true,
    decodeStrings: false,
    validateEntrySizes: true,
  });

async function* listEntries(zip: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const next = Promise.withResolvers<Entry | null>();
    zip.once('entry', next.resolve);
    zip.once('end', () => next.resolve(null));
    zip.once('error', next.reject);
    zip.readEntry();
    const entry = await next.promise;
    zip.removeAllListeners('entry').removeAllListeners('end').removeAllListeners('error');
    if (entry === null) return;
    yield entry;
  }
}

/** Unpacks one entry, at most the size that the directory states. */
async function readEntry(zip: ZipFile, entry: Entry, { guard }: ArchiveSink): Promise<Buffer> {
  if (entry.isEncrypted()) throw guard.refuse('it is encrypted');
  const open = promisify<Entry, Readable>(zip.openReadStream.bind(zip));
  const pieces: Buffer[] = [];
  for await (const piece of await open(entry)) {
    guard.countUnpacked((piece as Buffer).length);
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}
