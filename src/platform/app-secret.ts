import { hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { openDataFolder } from './store/open-store.ts';

const SECRET_BYTES = 32;
/** Minimum characters of the secret; the same minimum applies to APP_SECRET. */
const SECRET_CHARS_MIN = 32;
const OWNER_ONLY = 0o600;
/** Error codes of file systems without links, such as exFAT. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'ENOSYS']);

/** The secret in the data folder is empty or too short to protect anything. */
export class WeakSecret extends Error {}

/** Returns the operator's secret, or one that is created on the first start and kept in the data folder. Throws WeakSecret. */
export function ensureAppSecret(place: { appSecret: string | null; dataDir: string }): string {
  if (place.appSecret !== null) return place.appSecret;
  const path = join(place.dataDir, 'app-secret');
  openDataFolder(place.dataDir);
  const secret = (readSecret(path) ?? makeSecret(path)).trim();
  if (secret.length >= SECRET_CHARS_MIN) return secret;
  // Not replaced automatically: keys that wait for their buyers are sealed with the old one, which a backup may hold.
  throw new WeakSecret(
    `${path} has fewer than ${SECRET_CHARS_MIN} characters. Restore it from a backup, or remove it: the next start creates a new one, but links and keys that were sealed with the old one become invalid.`,
  );
}

const SERVER_ID_BYTES = 8;

/** Derives the id by which a server recognises its own searches; processes on one secret are one server. It tells nothing of the secret. */
export function deriveServerId(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'server', SERVER_ID_BYTES)).toString('hex');
}

function readSecret(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Creates the file atomically; if processes start together, the first one's secret wins. */
function makeSecret(path: string): string {
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, 'w', OWNER_ONLY);
  try {
    writeSync(file, randomBytes(SECRET_BYTES).toString('hex'));
    fsyncSync(file);
    linkSync(draft, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (NO_LINKS.has(code)) renameSync(draft, path);
    else if (code !== 'EEXIST') throw error;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
  return readFileSync(path, 'utf8');
}
