// Runs before `npm start`, `npm test` and `npm run check`, on whatever Node the machine has: installs the locked dependencies
// (the project's own Node 24 among them) where some are absent or of another version than the lock file says. Further folders with
// a lock file of their own can be named. Starts at the same time take turns, so that one installs and the others find it done.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TURN_POLL_MS = 200;
/** An install that takes longer is taken for dead; the next one starts over. */
const TURN_MS_MAX = 600_000;

for (const folder of ['.', ...process.argv.slice(2)]) {
  if (isInstalled(folder)) continue;
  const release = await takeTurn(folder);
  const status = isInstalled(folder) ? 0 : install(folder);
  release();
  if (status !== 0) process.exit(status);
}

/** Whether what npm wrote down of its last install, and the folders themselves, agree with the lock file. */
function isInstalled(folder) {
  const wanted = readPackages(join(folder, 'package-lock.json'));
  const installed = readPackages(join(folder, 'node_modules/.package-lock.json'));
  // The install script of the package `node` puts its program there.
  if (wanted['node_modules/node'] && !existsSync(join(folder, 'node_modules/node/bin/node'))) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    // Optional packages are absent where they are made for another platform.
    if (path === '' || (entry.optional && installed[path] === undefined)) return true;
    return installed[path]?.version === entry.version && existsSync(join(folder, path));
  });
}

/** Path -> entry of a lock file; empty where it is absent or cut short. */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Returns npm's exit code. */
function install(folder) {
  process.stderr.write(`Installing what is missing in ${folder} (npm ci) ...\n`);
  const options = ['--no-fund', '--no-audit', '--loglevel=error', '--prefix', '.'];
  return spawnSync('npm', ['ci', ...options], { cwd: folder, stdio: 'inherit' }).status ?? 1;
}

/** Waits until no other process installs into the folder, and returns what ends our turn. */
async function takeTurn(folder) {
  const lock = join(folder, '.installing');
  const deadline = Date.now() + TURN_MS_MAX;
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (Date.now() > deadline || !holderLives(lock)) rmSync(lock, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, TURN_POLL_MS));
  }
}

function holderLives(lock) {
  try {
    const holder = Number(readFileSync(lock, 'utf8'));
    // Between its creation and its first byte the file is empty.
    if (holder === 0) return true;
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
