import { existsSync, readdirSync } from 'node:fs';
import { makePrivateFolder } from './private-files.ts';

/** Folders in the data folder while a backup is restored: verified files that wait for their place, and files that are on their way to it. */
export const RESTORE_READY = 'restore.ready-';
export const RESTORE_MOVING = 'restore.moving-';

/** Creates the data folder if absent. Throws if a restore into it was interrupted, because its files may be of two different states. */
export function openDataFolder(path: string): void {
  makePrivateFolder(path);
  if (interruptedRestore(path) === null) return;
  throw new Error(
    'a restore into its folder was interrupted; to finish it, run the same sanderling restore command again',
  );
}

/** The folder of a restore that had begun to replace files; null if there is none. */
export function interruptedRestore(dataDir: string): string | null {
  if (!existsSync(dataDir)) return null;
  const isLeft = (name: string): boolean => name.startsWith(RESTORE_READY) || name.startsWith(RESTORE_MOVING);
  return readdirSync(dataDir).find(isLeft) ?? null;
}
