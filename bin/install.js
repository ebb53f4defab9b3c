// Installs locked dependencies, and on machines with an older Node the one that Sanderling needs. Plain JavaScript that Node 20
// runs, without a dependency: it works before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const NODE_MAJOR_MIN = 24;
/** Folder whose lock file pins that Node for each platform. */
const RUNTIME = fileURLToPath(new URL('../runtime', import.meta.url));
/** Folder whose lock file pins what drives the browser of `sanderling render`. */
export const RENDER_RUNTIME = join(RUNTIME, 'render');
/** Folder whose lock file pins the grammars from which `sanderling docs` makes API references. */
export const LIBRARIES_RUNTIME = join(RUNTIME, 'libraries');
/** Packed only to compile against Node: a third of what it occupies. */
const HEADERS = 'include';
const TURN_POLL_MS = 200;
/** An install that takes longer is taken for dead; the next one starts over. */
const TURN_MS_MAX = 600_000;

export function isNewEnough(version = process.versions.node) {
  return Number.parseInt(version, 10) >= NODE_MAJOR_MIN;
}

/**
 * Installs what the lock file of `folder` names and is absent, without development dependencies if `runtimeOnly`.
 * Processes at once take turns. Resolves to npm's exit code.
 */
export async function installMissing(folder, { runtimeOnly = false } = {}) {
  const isDone = () => isInstalled(folder, runtimeOnly);
  const args = ['ci', '--ignore-scripts', ...(runtimeOnly ? ['--omit=dev'] : [])];
  return await installInTurn(folder, isDone, args);
}

/** Installs a part that the command can do without; if that fails, one line says what is `lost`. Without a network it fails at once. */
export async function installOptional(folder, lost) {
  const args = ['ci', '--ignore-scripts', '--fetch-retries=0'];
  const status = await installInTurn(folder, () => isInstalled(folder), args).catch(({ message }) => message);
  if (status === 0) return;
  const reason = typeof status === 'string' ? ` (${status})` : '';
  process.stderr.write(`${folder} could not be installed${reason}: ${lost}\n`);
}

/** Whether what npm wrote down of its last install, and the folders themselves, agree with the lock file. */
export function isInstalled(folder, runtimeOnly = false) {
  const wanted = readPackages(join(folder, 'package-lock.json'));
  const installed = readPackages(join(folder, 'node_modules/.package-lock.json'));
  return Object.entries(wanted).every(([path, entry]) => {
    // Optional packages are absent where they are made for another platform.
    if (path === '' || (entry.optional && installed[path] === undefined)) return true;
    if (runtimeOnly && (entry.dev || entry.devOptional)) return true;
    return installed[path]?.version === entry.version && existsSync(join(folder, path));
  });
}

/**
 * Path of the installed Node that runs Sanderling, installed first where it is missing. Throws an error with a line for the user.
 * `runtime`, `platform` and `arch` are for tests.
 */
export async function ensureOwnNode({
  runtime = RUNTIME,
  platform = process.platform,
  arch = process.arch,
} = {}) {
  const name = `node-${platform}-${arch}`;
  const isLocked = `node_modules/${name}` in readPackages(join(runtime, 'package-lock.json'));
  const program = join(runtime, 'node_modules', isLocked ? name : 'node', 'bin/node');
  const isDone = () => existsSync(program) && isInstalled(runtime);
  const { optionalDependencies } = JSON.parse(readFileSync(join(runtime, 'package.json'), 'utf8'));
  const [version] = Object.values(optionalDependencies);
  // Where no package is locked for the platform, the package `node` chooses one by an install script.
  const args = isLocked ? ['ci', '--ignore-scripts'] : ['install', '--no-save', `node@${version}`];
  const status = await installInTurn(runtime, isDone, args);
  if (status === 0 && existsSync(program)) {
    rmSync(join(dirname(dirname(program)), HEADERS), { recursive: true, force: true });
    return program;
  }
  throw new Error(
    `Sanderling needs Node ${NODE_MAJOR_MIN} or newer. This is Node ${process.versions.node}, and Node ${version} could not be installed in ${runtime}: install Node ${NODE_MAJOR_MIN} yourself, or make that folder writable.`,
  );
}

/** Whether npm's scripts in `folder` would run on a Node that is too old or is about to be replaced there. */
export function needsOwnNode(folder, { version = process.versions.node, execPath = process.execPath } = {}) {
  return !isNewEnough(version) || execPath.startsWith(folder + sep);
}

/** npm puts `node_modules/.bin` first on the path of every script: from then on they run on this Node. */
export function linkNode(folder, program) {
  const link = join(folder, 'node_modules/.bin/node');
  mkdirSync(dirname(link), { recursive: true });
  const unnamed = `${link}.${process.pid}`;
  symlinkSync(relative(dirname(link), program), unnamed);
  // Atomic: another start may be running through the link it replaces.
  renameSync(unnamed, link);
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

async function installInTurn(folder, isDone, args) {
  if (isDone()) return 0;
  const release = await takeTurn(folder);
  try {
    return isDone() ? 0 : await runNpm(folder, args);
  } finally {
    release();
  }
}

/** Resolves to npm's exit code; its output goes to standard error, which no program parses. */
async function runNpm(folder, args) {
  process.stderr.write(`Installing what is missing in ${folder} (npm ${args.join(' ')}) ...\n`);
  const options = ['--no-fund', '--no-audit', '--loglevel=error', '--prefix', '.'];
  const npm = spawn('npm', [...args, ...options], { cwd: folder, stdio: ['ignore', 2, 2] });
  return await new Promise((resolve, reject) => {
    npm.once('error', reject);
    npm.once('exit', (code) => resolve(code ?? 1));
  });
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
