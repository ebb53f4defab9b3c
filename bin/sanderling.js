#!/usr/bin/env node
// Starts the command line under the project's own Node 24, whichever Node the machine has.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ownNode = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url));
if (!existsSync(ownNode)) {
  process.stderr.write('Dependencies are missing: run `npm ci` in the project folder first.\n');
  process.exit(1);
}
const child = spawn(ownNode, [cli, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
