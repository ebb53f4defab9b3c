import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;

/** The operator's secret, or one that is made on the first start and kept in the data folder. */
export function appSecret(place: { appSecret: string | null; dataDir: string }): string {
  if (place.appSecret !== null) return place.appSecret;
  const path = join(place.dataDir, 'app-secret');
  mkdirSync(place.dataDir, { recursive: true });
  try {
    // Of processes that start together the first one's stays.
    writeFileSync(path, randomBytes(SECRET_BYTES).toString('hex'), { flag: 'wx', mode: OWNER_ONLY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
