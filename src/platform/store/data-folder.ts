import { existsSync, readdirSync } from 'node:fs';
import { makePrivateFolder } from './private-files.ts';

/** Prefixes of folders in the data folder during a restore: with verified files, and with files that are being moved into place. */
export const RESTORE_READY = 'restore.ready-';
export const RESTORE_MOVING = 'restore.moving-';

/** Creates the data folder if absent. Throws if a restore into it was interrupted, because its files may be of two different states. */
export function openDataFolder(path: string): void {
  makePrivateFolder(path);
  if (findInterruptedRestore(path) === null) return;
  throw new Error(
    'a restore into its folder was interrupted; to finish it, run the same sanderling restore command again',
  );
}

/** Finds the folder of an interrupted restore that had begun to replace files; null if there is none. */
export function findInterruptedRestore(dataDir: string): string | null {
  if (!existsSync(dataDir)) return null;
  const isLeft = (name: string): boolean => name.startsWith(RESTORE_READY) || name.startsWith(RESTORE_MOVING);
  return readdirSync(dataDir).find(isLeft) ?? null;
}
