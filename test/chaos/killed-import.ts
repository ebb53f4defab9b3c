import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import type { ImportSummary } from '../../src/crawl/import/import-pages.ts';
import { createLocalIndex } from '../../src/index/local-index.ts';
import { createLog } from '../../src/platform/log.ts';
import { NO_FILTERS } from '../../src/text/query/filters.ts';
import { readQuery } from '../../src/text/query/read-query.ts';
import { madePage } from '../fixtures/corpora/made-pages.ts';

/** What the process itself took: CPU milliseconds of all its threads, and its largest memory. */
type Usage = { cpuMs: number; megabytes: number; seconds: number };

/**
 * When to kill an import, asked with the pages that are in the index so far; null before the first batch. Milliseconds to wait
 * before the kill, or null: not yet.
 */
export type KillAt = (pages: number | null) => number | null;

/** Imports a path into a data folder, in a process of its own. Null if it was killed on its way. */
export async function importAlone(
  dataFolder: string,
  path: string,
  killAt: KillAt = () => null,
): Promise<{ summary: ImportSummary; usage: Usage } | null> {
  const script = join(import.meta.dirname, 'importing-process.ts');
  const child = spawn(process.execPath, [script, dataFolder, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let startedAt = performance.now();
  let ended: { summary: ImportSummary; usage: Usage } | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'start') startedAt = performance.now();
    if (line.startsWith('end ')) {
      const { usage, ...summary } = JSON.parse(line.slice(4));
      ended = { summary, usage: { ...usage, seconds: (performance.now() - startedAt) / 1_000 } };
    }
    const delayMs = child.killed || line.startsWith('end ') ? null : killAt(pagesIn(line));
    if (delayMs === null) continue;
    await setTimeout(delayMs);
    child.kill('SIGKILL');
  }
  await exited;
  return child.signalCode === 'SIGKILL' ? null : ended;
}

/** `batch 600` -> 600. */
function pagesIn(line: string): number | null {
  return line.startsWith('batch ') ? Number(line.slice(6)) : null;
}

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
