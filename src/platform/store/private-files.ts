import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const OWNER_ONLY = 0o600;
const OWNER_FOLDER = 0o700;
const OTHERS = 0o077;
const PROBE_BYTES = 65_536;

/** Makes a folder that only its owner may enter; an existing one keeps the mode that the operator gave it. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: OWNER_FOLDER });
}

/** Makes a database file where there is none, and closes it and its companions to everybody but their owner. SQLite gives new companions the mode of the file. */
export function keepPrivate(path: string): void {
  closeSync(openSync(path, 'a', OWNER_ONLY));
  for (const file of companionsOf(path)) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined && (mode & OTHERS) !== 0) chmodSync(file, OWNER_ONLY);
  }
}

/** A database file and what SQLite keeps beside it. */
export function companionsOf(path: string): string[] {
  return ['', '-wal', '-shm'].map((suffix) => path + suffix);
}

/** Rejects when a folder cannot be written to, for example because its disk is full or read-only. */
export async function probeFolder(folder: string): Promise<void> {
  const path = join(folder, `.probe-${process.pid}`);
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES, 1), { mode: OWNER_ONLY, flush: true });
  } finally {
    await rm(path, { force: true });
  }
}
