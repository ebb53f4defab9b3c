#!/usr/bin/env node
// Starts the command line: in this process where its Node is new enough, else under one of Sanderling's own.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { stampOf } from './build-stamp.js';
import {
  ensureOwnNode,
  installMissing,
  installOptional,
  isNewEnough,
  LIBRARIES_RUNTIME,
  RENDER_RUNTIME,
} from './install.js';

// A clone runs its sources, unless `npm run build` has bundled them as they are now; a package holds the bundle alone.
const [sources, bundle] = ['../src/cli.ts', '../dist/cli.js'].map((path) => new URL(path, import.meta.url));
const cli = existsSync(sources) && !isBundled() ? sources : bundle;

boundThreadsByThemselves();
keepCompiledCode();
if (process.argv[2] === 'render' && !isPresent('puppeteer-core', RENDER_RUNTIME))
  await installMissing(RENDER_RUNTIME);
if (readsPackages(process.argv.slice(2)) && !isPresent('@vscode/tree-sitter-wasm', LIBRARIES_RUNTIME))
  await installOptional(LIBRARIES_RUNTIME, 'libraries are added without their API reference');
if (!hasDependencies()) end('Dependencies are missing: run `npm ci --omit=dev` in the project folder first.');
else if (isNewEnough()) await import(cli.href);
else await ensureOwnNode().then(runUnder, (error) => end(error.message));

/**
 * V8 takes the bounds of the main thread's heap from the command line (`--max-old-space-size`, `--max-semi-space-size`), where they would
 * hold for every thread in place of the thread's own. Once the main thread has them, they are taken back; before the compile cache, whose entries depend on such flags.
 */
function boundThreadsByThemselves() {
  setFlagsFromString('--max-old-space-size=0');
  setFlagsFromString('--max-semi-space-size=0');
}

/**
 * Later starts need not remove types and compile again. Enabled before any other module is loaded: one that is not in the cache brings
 * the compiler of types into memory. Threads keep their code only if the variable is set.
 */
function keepCompiledCode() {
  process.env.NODE_COMPILE_CACHE ||= join(tmpdir(), 'node-compile-cache');
  modules.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
}

function isBundled() {
  const stamp = new URL('../dist/stamp.txt', import.meta.url);
  return (
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === stampOf(fileURLToPath(new URL('../src', import.meta.url)))
  );
}

function hasDependencies() {
  try {
    import.meta.resolve('commander');
    return true;
  } catch {
    return false;
  }
}

/** What only some commands need is installed with the first start of one. */
function isPresent(name, folder) {
  try {
    modules.createRequire(join(folder, 'package.json')).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Whether a command makes API references. */
function readsPackages([program, command, ...options]) {
  if (program !== 'docs' || !['add', 'sync', 'update'].includes(command)) return false;
  return !options.some((option) => ['--no-api', '--help', '-h'].includes(option));
}

function end(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

/** Ends as the command ends: with its exit code, or by the same signal. */
function runUnder(node) {
  const child = spawn(node, [fileURLToPath(cli), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      // A terminal sends Ctrl-C to both.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
