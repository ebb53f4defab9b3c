// Runs before `npm start`, `npm test` and `npm run check`, on whatever Node the machine has: installs the locked dependencies
// (the project's own Node 24 among them) when they are absent or when the lock file has changed since. Further folders with a lock
// file of their own can be named.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

for (const folder of ['.', ...process.argv.slice(2)]) {
  const stamp = join(folder, 'node_modules/.installed-from');
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const isWhole = folder !== '.' || existsSync('node_modules/node/bin/node');
  if (isWhole && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) continue;
  process.stderr.write(`Installing what is missing in ${folder} (npm ci) ...\n`);
  const options = ['--no-fund', '--no-audit', '--loglevel=error', '--prefix', '.'];
  const { status } = spawnSync('npm', ['ci', ...options], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, wanted);
}
