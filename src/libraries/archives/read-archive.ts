/**
 * Reads the files of a downloaded package in memory: tar, tar.gz and zip. Archives are hostile input: whatever breaks a bound or names a
 * place outside is refused as a whole, with the reason. Nothing is written, followed or run.
 */
import { gunzipSync } from 'node:zlib';
import {
  ARCHIVE_LIMITS,
  type ArchiveFile,
  type ArchiveLimits,
  ArchiveRefused,
  createEntryGuard,
} from './archive-limits.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';

type ReadOptions = {
  /** The name of the archive in messages. */
  name: string;
  /** Chooses the files to keep by their paths. */
  keeps: (path: string) => boolean;
  limits?: Partial<ArchiveLimits>;
};

/** Reads the chosen files in the order of the archive. Rejects with ArchiveRefused, which says why. */
export async function readArchive(
  bytes: Uint8Array,
  { name, keeps, limits: given = {} }: ReadOptions,
): Promise<ArchiveFile[]> {
  const limits = { ...ARCHIVE_LIMITS, ...given };
  const guard = createEntryGuard(name, limits);
  if (bytes.length > limits.packedBytesMax)
    throw guard.refuse(`it is larger than ${limits.packedBytesMax >> 20} MB`);
  const files: ArchiveFile[] = [];
  let keptBytes = 0;
  const sink = {
    guard,
    limits,
    keeps,
    add(file: ArchiveFile): void {
      keptBytes += file.bytes.length;
      if (keptBytes > limits.keptBytesMax)
        throw guard.refuse(`the files that are read from it have more than ${limits.keptBytesMax >> 20} MB`);
      files.push(file);
    },
  };
  try {
    await (isZip(bytes) ? readZip(bytes, sink) : readTar(bytes, sink));
  } catch (error) {
    if (error instanceof ArchiveRefused) throw error;
    throw new ArchiveRefused(`${name} is damaged: ${(error as Error).message}`, { cause: error });
  }
  return files;
}

const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;

/** Unpacks one gzip file. Rejects with ArchiveRefused beyond `bytesMax`. */
export function unpackGzipFile(
  bytes: Uint8Array,
  { name, bytesMax }: { name: string; bytesMax: number },
): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    throw new ArchiveRefused(`${name} is damaged or unpacks to more than ${bytesMax >> 20} MB`, {
      cause: error,
    });
  }
}
