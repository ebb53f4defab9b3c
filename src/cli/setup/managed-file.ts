import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { findSplice, type Receipt, undoSplice } from './receipts.ts';

/** A file that setup writes into: how its part is added, and taken out where something else was changed meanwhile. Both are pure. */
export type ManagedFile = {
  path: string;
  /** True if the part holds a key, which makes a new file private. */
  isSecret: boolean;
  /** `null`: the file does not exist. Throws where the file cannot be edited safely. */
  add(text: string | null): string;
  /** Returns null where nothing would be left of the file. Throws where the part is not the one that setup wrote. */
  remove(text: string): string | null;
};

/** A change of one file; `null` stands for a file that does not exist. */
export type FileChange = {
  file: ManagedFile;
  before: string | null;
  after: string | null;
  /** The record that undoes the change; null if the change is itself an undoing. */
  receipt: Omit<Receipt, 'folders'> | null;
};

/** A file that setup leaves alone; the message says why and what to do, without the path. */
export class SetupRefusal extends Error {
  override name = 'SetupRefusal';
}

/** Mode of new files that hold keys. */
const SECRET_MODE = 0o600;
const SHARED_MODE = 0o644;

/**
 * Plans to add the part. What setup wrote before is undone first, so that running it twice is the same as once, and a change of the
 * settings still leads back to the file as it was in the beginning.
 */
export function planAddition(file: ManagedFile, receipt: Receipt | undefined): FileChange {
  const before = readText(file.path);
  const base = before === null || receipt === undefined ? before : undoPart(file, before, receipt);
  const after = file.add(base);
  const splice = findSplice(base ?? '', after);
  return { file, before, after, receipt: { ...splice, isNew: base === null } };
}

/** Plans to take the part out. */
export function planRemoval(file: ManagedFile, receipt: Receipt | undefined): FileChange {
  const before = readText(file.path);
  const after =
    before === null ? null : receipt === undefined ? file.remove(before) : undoPart(file, before, receipt);
  return { file, before, after, receipt: null };
}

/** Restores the bytes of the time before, where only they are missing; else takes the part out of what the file has become. */
function undoPart(file: ManagedFile, text: string, receipt: Receipt): string | null {
  const restored = undoSplice(text, receipt);
  if (restored === null) return file.remove(text);
  if (receipt.isNew && restored === '') return null;
  try {
    file.remove(restored);
  } catch {
    // What was added behind the part leans on it.
    return file.remove(text);
  }
  return restored;
}

/**
 * Writes the change at once: a file is whole before or after, also for a client that reads it at this moment. An existing file keeps its
 * mode, and a link stays a link. Returns the folders that were created, outermost first. Fails if the file was changed since it was read.
 */
export function writeChange({ file, before, after }: FileChange): string[] {
  if (readText(file.path) !== before)
    throw new SetupRefusal('it was changed at the same time, so nothing was written; run setup again');
  if (after === null) {
    rmSync(file.path, { force: true });
    return [];
  }
  const created = createFolders(dirname(file.path));
  const target = before === null ? file.path : realpathSync(file.path);
  const mode = before === null ? (file.isSecret ? SECRET_MODE : SHARED_MODE) : statSync(target).mode & 0o777;
  const temporary = join(dirname(target), `.sanderling-${randomUUID()}`);
  try {
    writeFileSync(temporary, after, { mode, flag: 'wx' });
    // Beyond what the process's mask lets through.
    if (before !== null) chmodSync(temporary, mode);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    // The user knows the file, not the one beside it.
    if (error instanceof Error) Object.assign(error, { path: target });
    throw error;
  }
  return created;
}

/** Reads a file as UTF-8; null if there is none. */
function readText(path: string): string | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SetupRefusal('it is not a text in UTF-8');
  }
}

/** Creates a folder and those above it; returns those that were missing. */
function createFolders(folder: string): string[] {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return [];
  const created = [first];
  for (let below = folder; below !== first && below.startsWith(first); below = dirname(below))
    created.splice(1, 0, below);
  return created;
}

/** Removes the folders that setup created, the deepest first, where nothing else has been put into them. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders.toSorted((one, other) => other.length - one.length)) {
    try {
      rmdirSync(folder);
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }
}

/** A file that consists of the part alone, such as a skill. */
export function createWholeFile(path: string, content: string): ManagedFile {
  return {
    path,
    isSecret: false,
    add(text) {
      if (text !== null && text !== content)
        throw new SetupRefusal(
          'it was not written by setup, or was changed since; move it away to get this one',
        );
      return content;
    },
    remove(text) {
      if (text !== content)
        throw new SetupRefusal('it was changed since setup wrote it, so it stays; delete it by hand');
      return null;
    },
  };
}
