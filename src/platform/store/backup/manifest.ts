import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** The contents of a backup; written last, so that a folder with a manifest is a complete backup. */
const Manifest = z.object({
  format: z.literal(1, 'was made by another version of Sanderling'),
  /** The version of Sanderling that made it. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** `postgresql`: the ledger is in its own database, and not in the backup. */
  ledger: z.enum(['sqlite', 'postgresql', 'none']),
  files: z.array(
    z.object({
      name: z.string().regex(/^[a-z][\w.-]*$/),
      bytes: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

export type Manifest = z.output<typeof Manifest>;
type BackupFile = Manifest['files'][number];

/** The backup cannot be made or restored; the message says why and what to do. */
export class BackupFailure extends Error {
  override name = 'BackupFailure';
}

const MANIFEST = 'manifest.json';
const OWNER_ONLY = 0o600;
const CHUNK_BYTES = 1_048_576;

/** Throws BackupFailure if the folder holds no complete backup that this version understands. */
export function readManifest(folder: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new BackupFailure(`${folder} is not a backup: it has no ${MANIFEST}`);
    if (error instanceof z.ZodError)
      throw new BackupFailure(`${join(folder, MANIFEST)}: ${error.issues[0]?.message}`);
    if (error instanceof SyntaxError) throw new BackupFailure(`${join(folder, MANIFEST)} is damaged`);
    throw error;
  }
}

export function writeManifest(folder: string, manifest: Manifest): void {
  const file = openSync(join(folder, MANIFEST), 'wx', OWNER_ONLY);
  try {
    writeSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Describes a file, after flushing it to the disk. */
export function describeFile(folder: string, name: string): BackupFile {
  const file = openSync(join(folder, name), 'r');
  try {
    fsyncSync(file);
    const hash = createHash('sha256');
    for (const chunk of readChunks(file)) hash.update(chunk);
    return { name, bytes: fstatSync(file).size, sha256: hash.digest('hex') };
  } finally {
    closeSync(file);
  }
}

/** Throws BackupFailure unless the folder has the file as it was described. */
export function verifyFile(folder: string, described: BackupFile): void {
  const path = join(folder, described.name);
  let found: BackupFile;
  try {
    found = describeFile(folder, described.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new BackupFailure(`${path} is missing`);
  }
  if (found.bytes !== described.bytes || found.sha256 !== described.sha256)
    throw new BackupFailure(`${path} is not as it was backed up: its checksum differs`);
}

/** Copies a file; the copy is readable by its owner only. */
export function copyPrivately(from: string, to: string): void {
  const source = openSync(from, 'r');
  const target = openSync(to, 'wx', OWNER_ONLY);
  try {
    for (const chunk of readChunks(source)) writeSync(target, chunk);
    fsyncSync(target);
  } finally {
    closeSync(target);
    closeSync(source);
  }
}

/** Flushes a folder's entries to the disk. */
export function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function* readChunks(file: number): Iterable<Buffer> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    const bytes = readSync(file, buffer);
    if (bytes === 0) return;
    yield buffer.subarray(0, bytes);
  }
}
