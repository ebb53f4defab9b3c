import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { createLocalIndex } from '../../src/index/local-index.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { madePage } from '../fixtures/corpora/made-pages.ts';
import { programPath } from '../fixtures/program.ts';

/** What the process itself took: CPU milliseconds of all its threads, and its largest memory. */
type Usage = { cpuMs: number; megabytes: number; seconds: number };
/** What `sanderling import` says at its end. */
export type Imported = { pages: number; failed: number; copies: number; said: string[] };

/**
 * When to kill an import, asked with the pages that are in the index so far; null once it has begun or goes on. Milliseconds to wait
 * before the kill, or null: not yet.
 */
export type KillAt = (pages: number | null) => number | null;

const LOOK_MS = 5;

/** Imports a path into a data folder, in a process of its own. Null if it was killed on its way. */
export async function importAlone(
  dataFolder: string,
  path: string,
  killAt: KillAt = () => null,
): Promise<{ summary: Imported; usage: Usage } | null> {
  const args = ['--import', join(import.meta.dirname, 'report-usage.mjs'), programPath(), 'import', path];
  const env = { PATH: process.env.PATH, DATA_DIR: dataFolder, LOG_LEVEL: 'silent' };
  const begun = performance.now();
  const child = spawn(process.execPath, args, { cwd: dataFolder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'close');
  let isDue = false;
  const consider = async (pages: number | null): Promise<void> => {
    const delayMs = isDue ? null : killAt(pages);
    if (delayMs === null) return;
    isDue = true;
    await setTimeout(delayMs);
    child.kill('SIGKILL');
  };
  const index = join(dataFolder, 'index.db');
  if (!existsSync(index)) void appears(index, exited).then(() => consider(null));
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line);
    if (line.startsWith('Resumes after ')) void consider(null);
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    said.push(line);
    const pages = /^(\d+) pages?, /.exec(line)?.[1];
    if (pages !== undefined) void consider(Number(pages));
  });
  await exited;
  if (child.signalCode === 'SIGKILL') return null;
  const seconds = (performance.now() - begun) / 1_000;
  const usage = JSON.parse(said.find((line) => line.startsWith('usage '))?.slice('usage '.length) ?? '');
  return { summary: importedIn(said), usage: { ...usage, seconds } };
}

/** Resolves when the file exists, or the process has ended. */
async function appears(path: string, exited: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  void exited.then(() => ended.abort());
  while (!existsSync(path) && !ended.signal.aborted) await setTimeout(LOOK_MS);
}

/** `7900 pages imported, 0 failed, 100 copies folded`. */
function importedIn(said: string[]): Imported {
  const [, pages, failed, copies = 0] =
    said.map((line) => /^(\d+) pages? imported, (\d+) failed(?:, (\d+) cop)?/.exec(line)).find(Boolean) ??
    assert.fail(said.join('\n'));
  return { pages: Number(pages), failed: Number(failed), copies: Number(copies), said };
}

/** How much an import has taken, without what it said on its way. */
export const countsOf = (summary: Imported | undefined): (number | undefined)[] => [
  summary?.pages,
  summary?.failed,
  summary?.copies,
];

const LISTED_PAGES = 1_000;

/** What an index holds, as the digest of all its pages, and what it finds for words of every `step`-th of the first made pages. */
export async function contentsOf(
  dataFolder: string,
  { step, searches }: { step: number; searches: number },
): Promise<{ pages: number; digest: string; found: string[][] }> {
  const index = await createLocalIndex({ path: join(dataFolder, 'index.db'), log: createLog('silent') });
  try {
    assert.deepEqual(await index.problems(), []);
    const hash = createHash('sha256');
    let [pages, after]: [number, string | null] = [0, null];
    for (;;) {
      const listed = await index.pages({ selector: null, after, limit: LISTED_PAGES });
      // Pages that state no day count as read when they were imported.
      for (const { fetchedAt: _, ...page } of listed) hash.update(JSON.stringify(page));
      pages += listed.length;
      after = listed.at(-1)?.url ?? null;
      if (after === null) break;
    }
    const found: string[][] = [];
    for (let number = 0; number < step * searches; number += step) {
      const query = readQuery(madePage(number).paragraphs[0]?.split(' ').slice(3, 8).join(' ') ?? '');
      found.push((await index.search({ ...NO_FILTERS, query, limit: 10 })).map(({ url }) => url));
    }
    return { pages, digest: hash.digest('hex'), found };
  } finally {
    await index.close();
  }
}
