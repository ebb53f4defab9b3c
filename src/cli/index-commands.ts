import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { styleText } from 'node:util';
import { createServices, type Services } from '../app/compose-services.ts';
import type { Config } from '../app/config.ts';
import { createLocalIndex } from '../index/local-index.ts';
import type {
  HeldPage,
  IndexedPage,
  IndexStats,
  LocalIndex,
  PageSelector,
} from '../index/local-index-types.ts';
import { orderRebuild } from '../index/rebuild/old-files.ts';
import { parseSelector } from '../index/upkeep/page-selector.ts';
import { makeDue } from '../index/upkeep/revisit.ts';
import { systemClock, toUtcDay } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { FileInUse } from '../platform/store/open-sqlite.ts';
import { createProgressLine, formatCount } from './progress-line.ts';
import { formatSize } from './search.ts';
import { watchInterruption } from './until-interrupted.ts';

type Options = { json?: boolean };

const PAGES_AT_ONCE = 50;
const LISTED_AT_ONCE = 500;

/** `sanderling index stats`. Like all commands here, resolves to the exit code. */
export function showStats(config: Config, { json }: Options): Promise<number> {
  return withServices(config, async ({ index }) => {
    const stats = await index.stats();
    print(json ? JSON.stringify(stats, null, 2) : formatStats(stats));
    return 0;
  });
}

/** `sanderling index check`: 1 if something is damaged. */
export function checkIndex(config: Config, { json }: Options): Promise<number> {
  return withServices(config, async ({ index }) => {
    const problems = await index.problems();
    if (json) print(JSON.stringify({ ok: problems.length === 0, problems }, null, 2));
    else if (problems.length === 0) print('Nothing is damaged.');
    else {
      for (const problem of problems) print(problem);
      printNote(DAMAGE_ADVICE);
    }
    return problems.length === 0 ? 0 : 1;
  });
}

/** Advice to the operator of a damaged index. */
const DAMAGE_ADVICE =
  'Copy the data folder before you change anything, and check the disk. Then restore a backup (sanderling restore), or forget the pages that are named and crawl them again; sanderling index rebuild mends the postings.';

/** `sanderling index list`: 1 if nothing is listed. */
export function listPages(
  config: Config,
  which: string | undefined,
  { limit, recent = false, json }: Options & { limit: number; recent?: boolean },
): Promise<number> {
  if (recent && which !== undefined) {
    printNote('--recent lists pages of all hosts; leave out which.');
    return Promise.resolve(1);
  }
  const selector = which === undefined ? null : parseSelector(which);
  return withServices(config, async (services) => {
    const listed: HeldPage[] = recent ? await services.index.recent(limit + 1) : [];
    if (!recent)
      for await (const page of iterateHeldPages(services, selector)) {
        if (listed.length > limit) break;
        listed.push(page);
      }
    const shown = listed.slice(0, limit);
    if (json) print(JSON.stringify(shown.map(toJson), null, 2));
    else for (const page of shown) print(formatPage(page));
    if (listed.length > limit) printNote('There are more pages; --limit shows them.');
    if (shown.length === 0) printNote('The index holds no such page.');
    return shown.length > 0 ? 0 : 1;
  });
}

/** `sanderling index forget`: 0 even if there was nothing to forget, so that scripts may repeat it. */
export function forgetPages(
  config: Config,
  which: string,
  { dryRun, json }: Options & { dryRun?: boolean },
): Promise<number> {
  const selector = parseSelector(which);
  return withServices(config, async (services) => {
    if (dryRun) {
      for await (const page of iterateHeldPages(services, selector))
        print(json ? JSON.stringify(toJson(page)) : formatPage(page));
      return 0;
    }
    const forgotten = await services.operations.forget(selector);
    await services.index.tidy();
    const { pages, copies, addresses } = forgotten;
    if (json) print(JSON.stringify(forgotten));
    else
      print(
        `Forgot ${formatCount(pages, 'page')} of the index, ${formatCount(copies, 'cached copy', 'cached copies')} and ${formatCount(addresses, 'address', 'addresses')} of crawls.`,
      );
    return 0;
  });
}

/** `sanderling index export`: one page a line. */
export function exportPages(config: Config, which: string | undefined): Promise<number> {
  const selector = which === undefined ? null : parseSelector(which);
  return withServices(config, async ({ index }) => {
    let isClosed = false;
    process.stdout.once('error', () => {
      isClosed = true;
    });
    let after: string | null = null;
    while (!isClosed) {
      const pages: IndexedPage[] = await index.pages({ selector, after, limit: PAGES_AT_ONCE });
      // Pages of collections and private libraries have readers of their own, whom a file does not know.
      for (const page of pages.filter(({ library }) => library?.isPrivate !== true))
        if (!process.stdout.write(`${JSON.stringify(toExportedPage(page))}\n`) && !isClosed)
          await once(process.stdout, 'drain').catch(() => {});
      after = pages.at(-1)?.url ?? null;
      if (after === null) break;
    }
    return 0;
  });
}

/** Converts a page to the line that `import` reads back, with times as ISO 8601. */
function toExportedPage({
  publishedDay,
  fetchedAt,
  headings: _,
  origin,
  ...page
}: IndexedPage): Record<string, unknown> {
  return { ...page, ...origin, publishedDate: publishedDay, fetchedAt: new Date(fetchedAt).toISOString() };
}

async function* iterateHeldPages(
  { index }: Services,
  selector: PageSelector | null,
): AsyncGenerator<HeldPage> {
  let after: string | null = null;
  do {
    const pages: HeldPage[] = await index.list({ selector, after, limit: LISTED_AT_ONCE });
    yield* pages;
    after = pages.at(-1)?.url ?? null;
  } while (after !== null);
}

export async function withServices(
  config: Config,
  work: (services: Services) => Promise<number>,
): Promise<number> {
  const services = await createServices(config);
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

function formatStats({ pages, hosts, bytes, textBytes, ages, languages, largestHosts }: IndexStats): string {
  const formatTable = (title: string, rows: [string, number][]): string[] => {
    const lines = rows
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `  ${name.padEnd(24)} ${count}`);
    return lines.length === 0 ? [] : [title, ...lines];
  };
  return [
    styleText('bold', formatSize({ pages, hosts })),
    `${formatMegabytes(bytes)} on disk, of which ${formatMegabytes(textBytes)} for texts and their words`,
    ...formatTable(
      'Pages by age',
      ages.map(({ daysMax, pages: count }) => [formatAgeGroup(daysMax), count]),
    ),
    ...formatTable(
      'Pages by language',
      languages.map(({ language, pages: count }) => [language || 'another', count]),
    ),
    ...formatTable(
      'Largest hosts',
      largestHosts.map(({ host, pages: count }) => [host || 'local files', count]),
    ),
  ].join('\n');
}

function formatAgeGroup(daysMax: number | null): string {
  if (daysMax === null) return 'older';
  return daysMax === 1 ? 'at most a day' : `at most ${daysMax} days`;
}

const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const formatPage = ({ url, title, fetchedAt }: HeldPage): string =>
  `${toUtcDay(fetchedAt)}  ${url}  ${styleText('dim', title.replace(/\s+/g, ' '))}`;

function toJson({ fetchedAt, usedAt, ...page }: HeldPage): Record<string, unknown> {
  return { ...page, fetchedAt: new Date(fetchedAt).toISOString(), usedAt: new Date(usedAt).toISOString() };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}

const LOOK_MS = 200;

/** `sanderling index rebuild`: does at once what a new layout does in the background. Resolves to the exit code. */
export async function rebuildIndex({ dataDir }: Config): Promise<number> {
  const path = resolve(dataDir, 'index.db');
  try {
    if (!orderRebuild(path)) {
      process.stderr.write(`There is no index in ${resolve(dataDir)}.\n`);
      return 1;
    }
  } catch (error) {
    if (!(error instanceof FileInUse)) throw error;
    process.stderr.write(`${error.message}.\n`);
    return 1;
  }
  const index = await createLocalIndex({ path, log: createLog('error') });
  try {
    if (!(await watch(index))) {
      process.stderr.write('The rest is rebuilt by the next start, or by this command.\n');
      return 130;
    }
    process.stdout.write(`Rebuilt: ${formatSize(await index.size())}.\n`);
    return 0;
  } finally {
    await index.close();
  }
}

/** Shows the progress until the index is rebuilt; resolves to false if it was interrupted. */
async function watch(index: LocalIndex): Promise<boolean> {
  const interruption = watchInterruption();
  const progress = createProgressLine(process.stderr, systemClock);
  try {
    for (;;) {
      const rebuilding = index.rebuilding();
      if (rebuilding === null) return true;
      if (interruption.signal.aborted) return false;
      progress.show({ done: rebuilding.pages, total: rebuilding.of, unit: 'page', facts: [] });
      await Promise.race([index.rebuilt(), pause(LOOK_MS)]);
    }
  } finally {
    progress.stop();
    interruption.stop();
  }
}

/** `sanderling index refresh`: resolves to the exit code, 0 unless every visited page failed. */
export async function refreshIndex(
  config: Config,
  which: string | undefined,
  { pages, json }: { pages: number; json?: boolean },
): Promise<number> {
  const selector = which === undefined ? null : parseSelector(which);
  const services = await createServices(config);
  const interruption = watchInterruption();
  const progress = createProgressLine(process.stderr, systemClock);
  try {
    const pagesMax = selector === null ? pages : Math.min(pages, await makeDue(services.index, selector));
    const summary = await services.crawling.refresh({
      pagesMax,
      signal: interruption.signal,
      onProgress: ({ changed, unchanged, gone, failed }) =>
        progress.show({
          done: changed + unchanged + gone + failed,
          total: null,
          unit: 'page',
          facts: [`${changed} changed`, `${gone} gone`, `${failed} failed`],
        }),
    });
    progress.stop();
    const { changed, unchanged, gone, failed } = summary;
    const visited = changed + unchanged + gone + failed;
    if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
    else if (visited === 0) process.stdout.write('No page is due.\n');
    else
      process.stdout.write(
        `${visited} visited: ${changed} changed, ${unchanged} unchanged, ${gone} gone, ${failed} failed\n`,
      );
    return visited > 0 && failed === visited ? 1 : 0;
  } finally {
    progress.stop();
    interruption.stop();
    await services.close();
  }
}
