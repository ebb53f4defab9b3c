import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FileInUse, isDamage, openExclusive } from '../open-sqlite.ts';
import { findInterruptedRestore, RESTORE_MOVING, RESTORE_READY } from '../open-store.ts';
import { makePrivateFolder } from '../private-files.ts';
import { BackupFailure, copyPrivately, flushFolder, type Manifest, verifyFile } from './manifest.ts';

const DRAFT = 'restore.partial-';
const REPLACED = 'before-restore-';
/** Names of the files of a data folder: databases with their companions, the ledger's mark, and the secret. */
const STORE_FILE = /^(?:[a-z][\w.-]*\.db(?:-wal|-shm|-journal)?|books\.mark|app-secret)$/;
/** Entries that do not make a data folder count as used. */
const HARMLESS = /^(?:restore\.partial-|before-restore-|\.probe-|lost\+found$)/;

type RestoreJob = { folder: string; manifest: Manifest; dataDir: string; replace: boolean; now: Date };

/**
 * Puts the files of a backup into the data folder, all or none. Verified copies are made inside the data folder, which may be a mount
 * point. One rename is the point of no return; from there to the end no server starts, and the next `finishRestore` continues.
 * Returns the folder with the files that were replaced, if any. Throws BackupFailure or FileInUse before anything has changed.
 */
export function restoreBackup({ folder, manifest, dataDir, replace, now }: RestoreJob): string | null {
  for (const file of manifest.files) verifyFile(folder, file);
  if (!replace && existsSync(dataDir) && readdirSync(dataDir).some((name) => !HARMLESS.test(name)))
    throw new BackupFailure(`${dataDir} is not empty; to replace the data in it, add --force`);
  assertUnused(dataDir);
  makePrivateFolder(dataDir);
  for (const name of readdirSync(dataDir))
    if (name.startsWith(DRAFT)) rmSync(join(dataDir, name), { recursive: true });
  const stamp = now.toISOString().replaceAll(/[:.]/g, '-');
  const draft = join(dataDir, DRAFT + stamp);
  makePrivateFolder(draft);
  try {
    for (const file of manifest.files) {
      copyPrivately(join(folder, file.name), join(draft, file.name));
      verifyFile(draft, file);
    }
    flushFolder(draft);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  const ready = join(dataDir, RESTORE_READY + stamp);
  renameSync(draft, ready);
  flushFolder(dataDir);
  try {
    return finishRestore(dataDir);
  } catch (error) {
    // A server that started just before uses the folder; nothing has been replaced.
    if (error instanceof FileInUse) rmSync(ready, { recursive: true });
    throw error;
  }
}

/** Continues a restore interrupted after its point of no return; null if there is none, or nothing was replaced. Throws FileInUse. */
export function finishRestore(dataDir: string): string | null {
  const left = findInterruptedRestore(dataDir);
  if (left === null) return null;
  const stamp = left.slice((left.startsWith(RESTORE_READY) ? RESTORE_READY : RESTORE_MOVING).length);
  const [ready, moving] = [join(dataDir, RESTORE_READY + stamp), join(dataDir, RESTORE_MOVING + stamp)];
  const replaced = join(dataDir, REPLACED + stamp);
  if (existsSync(ready)) {
    assertUnused(dataDir);
    moveAll(dataDir, replaced);
    renameSync(ready, moving);
    flushFolder(dataDir);
  }
  moveAll(moving, dataDir);
  rmdirSync(moving);
  flushFolder(dataDir);
  return existsSync(replaced) ? replaced : null;
}

/** Returns whether a data folder holds exactly the files of a backup, because nothing has used it since the restore. */
export function matchesBackup(dataDir: string, manifest: Manifest): boolean {
  try {
    for (const file of manifest.files) verifyFile(dataDir, file);
    return true;
  } catch (error) {
    if (error instanceof BackupFailure) return false;
    throw error;
  }
}

/** Moves the files of a data folder; files that were moved before stay in place. */
function moveAll(from: string, to: string): void {
  const names = readdirSync(from).filter((name) => STORE_FILE.test(name));
  if (names.length === 0) return;
  if (!existsSync(to)) mkdirSync(to, { mode: 0o700 });
  for (const name of names) renameSync(join(from, name), join(to, name));
  flushFolder(to);
}

/** Throws FileInUse if a process has a database of the folder open. Folds write-ahead logs into their files. */
function assertUnused(dataDir: string): void {
  const names = existsSync(dataDir)
    ? readdirSync(dataDir).filter((name) => /^[a-z][\w.-]*\.db$/.test(name))
    : [];
  for (const name of names) {
    try {
      openExclusive(join(dataDir, name)).close();
    } catch (error) {
      // Ignored, because a damaged file is a reason to restore.
      if (!isDamage(error)) throw error;
    }
  }
}
