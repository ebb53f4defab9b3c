// Runs before `npm start` and `npm test`, on whatever Node the machine has: installs the locked dependencies
// (the project's own Node 24 among them) when they are absent or when the lock file has changed since.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const STAMP = 'node_modules/.installed-from';
const wanted = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');

if (
  !existsSync('node_modules/node/bin/node') ||
  !existsSync(STAMP) ||
  readFileSync(STAMP, 'utf8') !== wanted
) {
  process.stderr.write('Installing what is missing (npm ci) ...\n');
  const { status } = spawnSync('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error'], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(STAMP, wanted);
}
