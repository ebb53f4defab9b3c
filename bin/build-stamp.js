import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a folder of sources looks like from outside: a build with another stamp is of other sources. */
export function stampOf(folder) {
  let [files, newest] = [0, 0];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.test.ts')) continue;
    files += 1;
    newest = Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs);
  }
  return `${files} ${newest}`;
}
