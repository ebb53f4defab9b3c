/**
 * Backs up or restores, and keeps what a kill before each file operation would leave:
 * backup-process.ts backup|restore <data folder> <backup> <changed folder> <states> <operation>
 *
 * Before each operation it copies the changed folder to <states>/<operation>, if a folder for them is named, which takes less than a
 * process for each operation. It kills itself before <operation>; there is no operation 0.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const [command = '', dataDir = '', folder = '', changed = '', states = '', killAt = '0'] =
  process.argv.slice(2);
/** Without openSync, which loads modules too; a kill before a flush is one before the operation that follows. */
const CHANGING = ['mkdirSync', 'writeSync', 'renameSync', 'rmSync', 'rmdirSync'] as const;
let operation = 0;
/** Copying is made of such operations too. */
let isCopying = false;
const functions = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
for (const name of CHANGING) {
  const real = functions[name];
  functions[name] = (...args) => {
    if (!isCopying) stopBefore();
    return real?.(...args);
  };
}
syncBuiltinESMExports();

function stopBefore(): void {
  operation += 1;
  if (String(operation) === killAt) {
    process.kill(process.pid, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  if (states === '') return;
  isCopying = true;
  fs.cpSync(changed, join(states, String(operation)), { recursive: true });
  isCopying = false;
}

const { runBackup, runRestore } = await import('../../src/cli/backup/backup.ts');
const place = { dataDir, databaseUrl: null, appSecret: null };
process.exitCode =
  command === 'backup'
    ? await runBackup(place, folder, {})
    : await runRestore(place, folder, { force: true });
