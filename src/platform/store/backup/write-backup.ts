import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup } from 'node:sqlite';
import { VERSION } from '../../../contract/version.ts';
import { interruptedRestore } from '../data-folder.ts';
import { JOBS_FILE } from '../jobs/open-job-store.ts';
import { assertNothingLost, openFlushMark } from '../ledger/flush-mark.ts';
import { flushedCommits } from '../ledger/group-commit.ts';
import { openSqlite } from '../open-sqlite.ts';
import { companionsOf, keepPrivate, makePrivateFolder } from '../private-files.ts';
import { openAlone } from '../sole-use.ts';
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
/** The ledger and the index have their own places in the order; results of jobs must be gone after a day, so no backup holds them. */
const NOT_AMONG_OTHERS = new Set([LEDGER, INDEX, JOBS_FILE]);
/** All pages in one step, so that the copy is one snapshot, however often the file changes meanwhile. */
const PAGES_PER_STEP = 2 ** 31 - 1;

type BackupJob = {
  dataDir: string;
  /** The folder that becomes the backup; absent or empty. */
  folder: string;
  /** Whether the ledger is in a PostgreSQL. */
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
  if (interruptedRestore(dataDir) !== null)
    throw new BackupFailure(`a restore into ${dataDir} was interrupted: finish it first`);
  removeLeftovers(folder);
  const draft = `${folder}.partial-${process.pid}`;
  makePrivateFolder(draft);
  try {
    const names = namesOf(job);
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

/** What is copied, in order. */
function namesOf({ dataDir, ledgerElsewhere }: BackupJob): string[] {
  const found = existsSync(dataDir) ? readdirSync(dataDir) : [];
  const others = found.filter((name) => /^[a-z][\w.-]*\.db$/.test(name) && !NOT_AMONG_OTHERS.has(name));
  const wanted = [...(ledgerElsewhere ? [] : [LEDGER]), SECRET, ...orderOf(others), INDEX];
  return wanted.filter((name) => found.includes(name));
}

/** The old index files come last. */
function orderOf(names: string[]): string[] {
  const isOldIndex = (name: string): boolean => name.startsWith('index.');
  return [...names.filter((name) => !isOldIndex(name)).sort(), ...names.filter(isOldIndex).sort()];
}

type Place = { dataDir: string; draft: string };

/** Returns false if the file is gone by now, as an old index is once it is taken over. */
async function copy(name: string, { dataDir, draft }: Place): Promise<boolean> {
  const [from, to] = [join(dataDir, name), join(draft, name)];
  if (name === SECRET) {
    copyPrivately(from, to);
    return true;
  }
  if (!existsSync(from)) return false;
  const source = openSqlite(from, { readOnly: true });
  try {
    if (name === LEDGER) assertNothingLost(from, () => flushedCommits(source));
    keepPrivate(to);
    await backup(source, to, { rate: PAGES_PER_STEP });
  } finally {
    source.close();
  }
  completeCopy(to, name);
  return true;
}

/** Leaves the copy as one file. The ledger is checked, and gets the mark of the commits that it has. */
function completeCopy(path: string, name: string): void {
  const database = openAlone(path);
  try {
    if (name !== LEDGER) return;
    const problem = database.prepare('pragma quick_check(1)').get()?.quick_check;
    if (problem !== 'ok') throw new BackupFailure(`the ledger is damaged: ${problem}`);
    const mark = openFlushMark(path);
    mark.raise(flushedCommits(database));
    mark.close();
  } finally {
    database.close();
    for (const companion of companionsOf(path).slice(1)) rmSync(companion, { force: true });
  }
}

/** Removes what backups to this folder left behind when they were killed. */
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
