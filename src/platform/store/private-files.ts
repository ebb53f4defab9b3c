import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const OWNER_ONLY = 0o600;
const OWNER_FOLDER = 0o700;
const OTHERS = 0o077;
const PROBE_BYTES = 65_536;

/** Creates a folder that only its owner may enter; an existing one keeps its mode. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: OWNER_FOLDER });
}

/** Creates a database file if absent, and restricts it and its companions to the owner. SQLite gives new companions the file's mode. */
export function ensurePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', OWNER_ONLY));
  for (const file of listCompanions(path)) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined && (mode & OTHERS) !== 0) chmodSync(file, OWNER_ONLY);
  }
}

/** Lists the paths of a database file, its write-ahead log and its shared memory. */
export function listCompanions(path: string): string[] {
  return ['', '-wal', '-shm'].map((suffix) => path + suffix);
}

/** Rejects if a folder is not writable, for example because its disk is full or read-only. */
export async function probeFolder(folder: string): Promise<void> {
  const path = join(folder, `.probe-${process.pid}`);
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES, 1), { mode: OWNER_ONLY, flush: true });
  } finally {
    await rm(path, { force: true });
  }
}
