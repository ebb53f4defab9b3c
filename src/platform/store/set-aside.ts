import { existsSync, renameSync } from 'node:fs';
import type { Log } from '../log.ts';
import { listCompanions } from './private-files.ts';

/** SQLITE_CORRUPT and SQLITE_NOTADB (https://sqlite.org/rescode.html). */
const DAMAGED = new Set([11, 26]);
const PRIMARY_CODE = 0xff;
const CAUSES_MAX = 5;

/**
 * Opens a database file whose content can be rebuilt. A damaged file is renamed and logged, and a new one is opened in its
 * place. Never use this for the ledger.
 */
export async function openOrSetAside<Opened>(
  path: string,
  { open, log }: { open(): Promise<Opened>; log: Log },
): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    if (!isDamage(error)) throw error;
    const movedTo = moveAside(path);
    log.error(
      { file: path, movedTo, reason: String(error) },
      'a damaged file was moved aside; a new one is used',
    );
    return open();
  }
}

/** Returns whether SQLite reported the file as damaged. */
export function isDamage(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth++) {
    const { errcode } = cause as { errcode?: number };
    if (errcode !== undefined && DAMAGED.has(errcode & PRIMARY_CODE)) return true;
    cause = cause.cause;
  }
  return false;
}

/** Renames a damaged file and its companions; returns the new path. */
export function moveAside(path: string): string {
  const suffix = `.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const file of listCompanions(path)) if (existsSync(file)) renameSync(file, file + suffix);
  return path + suffix;
}
