/** Backs up or restores, and kills itself before a given file operation: backup-process.ts backup|restore <data folder> <backup> <operation> */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [command = '', dataDir = '', folder = '', killAt = '0'] = process.argv.slice(2);
/** Without openSync, which loads modules too; a kill before a flush is one before the operation that follows. */
const CHANGING = ['mkdirSync', 'writeSync', 'renameSync', 'rmSync', 'rmdirSync'] as const;
let left = Number(killAt);
const functions = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
for (const name of CHANGING) {
  const real = functions[name];
  functions[name] = (...args) => {
    left -= 1;
    if (left === 0) {
      process.kill(process.pid, 'SIGKILL');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
    return real?.(...args);
  };
}
syncBuiltinESMExports();
const { runBackup, runRestore } = await import('../../src/cli/backup/backup.ts');
const place = { dataDir, databaseUrl: null, appSecret: null };
process.exitCode =
  command === 'backup'
    ? await runBackup(place, folder, {})
    : await runRestore(place, folder, { force: true });
