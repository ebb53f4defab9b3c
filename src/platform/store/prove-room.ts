import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PROBE_BYTES = 65_536;
const OWNER_ONLY = 0o600;

/** Rejects when a folder takes no more writes, such as on a disk that is full or read-only. */
export async function probeFolder(folder: string): Promise<void> {
  const path = join(folder, `.probe-${process.pid}`);
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES, 1), { mode: OWNER_ONLY, flush: true });
  } finally {
    await rm(path, { force: true });
  }
}
