import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup } from 'node:sqlite';
import { VERSION } from '../../../contract/version.ts';
import { JOBS_FILE } from '../jobs/open-job-store.ts';
import { assertNothingLost, countFlushedCommits, openFlushMark } from '../ledger/group-commit.ts';
import { openExclusive, openSqlite } from '../open-sqlite.ts';
import { findInterruptedRestore } from '../open-store.ts';
import { ensurePrivateFile, listCompanions, makePrivateFolder } from '../private-files.ts';
import {
  BackupFailure,
  copyPrivately,
  describeFile,
  flushFolder,
  type Manifest,
  writeManifest,
} from './manifest.ts';

const LEDGER = 'books.db';
const LEDGER_MARK = 'books.mark';
const SECRET = 'app-secret';
const INDEX = 'index.db';
/** Excluded from the other stores: ledger and index have fixed places in the order, and job results must be gone after a day. */
const NOT_AMONG_OTHERS = new Set([LEDGER, INDEX, JOBS_FILE]);
/** Copies all pages in one step, so that the copy is one snapshot even if the file changes meanwhile. */
const PAGES_PER_STEP = 2 ** 31 - 1;

type BackupJob = {
  dataDir: string;
  /** The folder that becomes the backup; absent or empty. */
  folder: string;
  /** True if the ledger is in PostgreSQL. */
  ledgerElsewhere: boolean;
  now: Date;
  onCopied?(name: string): void;
};

/**
 * Copies all stores of the data folder, each as one snapshot, while a server uses them. The folder appears under its name only once
 * it is complete. The order makes the copies fit each other:
 *
 *     ledger      first; whatever it refers to exists by then
 *     secret      never changes once it exists, and seals what is in the ledger
 *     store       a page that its frontier calls done is in the index already
 *     old indexes before the index: what a rebuild takes over from them meanwhile is in both
 *     index
 */
export async function writeBackup(job: BackupJob): Promise<Manifest> {
  const { dataDir, folder, now, onCopied } = job;
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new BackupFailure(`${folder} is not empty: name a new folder`);
  if (findInterruptedRestore(dataDir) !== null)
    throw new BackupFailure(`a restore into ${dataDir} was interrupted: finish it first`);
  removeLeftovers(folder);
  const draft = `${folder}.partial-${process.pid}`;
  makePrivateFolder(draft);
  try {
    const names = listFileNames(job);
    if (names.length === 0) throw new BackupFailure(`${dataDir} holds nothing to back up`);
    const copied: string[] = [];
    for (const name of names) {
      if (!(await copy(name, { dataDir, draft }))) continue;
      copied.push(name, ...(name === LEDGER ? [LEDGER_MARK] : []));
      onCopied?.(name);
    }
    const manifest: Manifest = {
      format: 1,
      version: VERSION,
      createdAt: now.toISOString(),
      ledger: job.ledgerElsewhere ? 'postgresql' : copied.includes(LEDGER) ? 'sqlite' : 'none',
      files: copied.map((name) => describeFile(draft, name)),
    };
    writeManifest(draft, manifest);
    flushFolder(draft);
    renameSync(draft, folder);
    flushFolder(dirname(folder));
    return manifest;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Lists the files to copy, in order. */
function listFileNames({ dataDir, ledgerElsewhere }: BackupJob): string[] {
  const found = existsSync(dataDir) ? readdirSync(dataDir) : [];
  const others = found.filter((name) => /^[a-z][\w.-]*\.db$/.test(name) && !NOT_AMONG_OTHERS.has(name));
  const wanted = [...(ledgerElsewhere ? [] : [LEDGER]), SECRET, ...sortOldIndexesLast(others), INDEX];
  return wanted.filter((name) => found.includes(name));
}

/** Sorts names, with old index files last. */
function sortOldIndexesLast(names: string[]): string[] {
  const isOldIndex = (name: string): boolean => name.startsWith('index.');
  return [...names.filter((name) => !isOldIndex(name)).sort(), ...names.filter(isOldIndex).sort()];
}

type Place = { dataDir: string; draft: string };

/** Copies a file. Resolves to false if it no longer exists, such as an old index after its content was taken over. */
async function copy(name: string, { dataDir, draft }: Place): Promise<boolean> {
  const [from, to] = [join(dataDir, name), join(draft, name)];
  if (name === SECRET) {
    copyPrivately(from, to);
    return true;
  }
  if (!existsSync(from)) return false;
  const source = openSqlite(from, { readOnly: true });
  try {
    if (name === LEDGER) assertNothingLost(from, () => countFlushedCommits(source));
    ensurePrivateFile(to);
    await backup(source, to, { rate: PAGES_PER_STEP });
  } finally {
    source.close();
  }
  completeCopy(to, name);
  return true;
}

/** Folds the copy into one file. Checks the ledger and writes the mark of its commits. */
function completeCopy(path: string, name: string): void {
  const database = openExclusive(path);
  try {
    if (name !== LEDGER) return;
    const problem = database.prepare('pragma quick_check(1)').get()?.quick_check;
    if (problem !== 'ok') throw new BackupFailure(`the ledger is damaged: ${problem}`);
    const mark = openFlushMark(path);
    mark.raise(countFlushedCommits(database));
    mark.close();
  } finally {
    database.close();
    for (const companion of listCompanions(path).slice(1)) rmSync(companion, { force: true });
  }
}

/** Removes partial folders of backups to this folder that were killed. */
function removeLeftovers(folder: string): void {
  const parent = dirname(folder);
  makePrivateFolder(parent);
  const prefix = `${basename(folder)}.partial-`;
  for (const name of readdirSync(parent))
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length))))
      rmSync(join(parent, name), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
