import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { makePrivateFolder } from '../../platform/store/private-files.ts';
import type { BackgroundCrawl, CrawlProgress, CrawlSummary } from '../background/crawl-types.ts';
import type { ImportPages } from '../import/import-pages.ts';
import type { ImportCounts } from '../import/run/import-rows.ts';
import type { RefreshPages } from '../refresh/refresh-pages.ts';
import { NO_COUNTS, type PerformRun, type RunCounts, type RunEnd, type RunOrder } from './run-types.ts';

type PerformDeps = {
  crawl: BackgroundCrawl;
  importPages: ImportPages;
  refresh: RefreshPages;
  /** The only folder from which a server imports. */
  importFolder: string;
};

type RunControls = Parameters<PerformRun>[1];
type OrderOf<Kind extends RunOrder['kind']> = RunOrder & { kind: Kind };

/** Performs runs with the same crawl, import and refresh as the command line. */
export function createPerformRun(deps: PerformDeps): PerformRun {
  return (order, how) => {
    if (order.kind === 'crawl') return crawl(deps, order, how);
    return order.kind === 'import' ? importFiles(deps, order, how) : refresh(deps, order, how);
  };
}

const ENDINGS: Record<CrawlSummary['ended'], string> = {
  complete: 'All pages found have been read.',
  pages_max: 'The page limit is reached; the same crawl with a larger limit goes on from here.',
  aborted: 'Interrupted.',
  host_gave_up: 'A host stopped answering; start the same crawl again to try once more.',
};

async function crawl(deps: PerformDeps, order: OrderOf<'crawl'>, how: RunControls): Promise<RunEnd> {
  const { kind: _, ...wanted } = order;
  const summary = await deps.crawl({
    ...wanted,
    // Otherwise a resumed run would start over.
    fresh: order.fresh && !how.isResumed,
    signal: how.signal,
    onProgress: (progress) => how.onProgress(toCrawlCounts(progress)),
  });
  const [first] = summary.reasons;
  const why = first === undefined ? '' : ` Most often ${first.state}: ${first.reason} (${first.urls}).`;
  return { counts: toCrawlCounts(summary), note: ENDINGS[summary.ended] + why };
}

function toCrawlCounts({
  pages,
  failed,
  skipped,
  duplicates,
  queued,
}: Omit<CrawlProgress, 'url'>): RunCounts {
  return { pages, failed, skipped, duplicates, queued };
}

async function importFiles(deps: PerformDeps, order: OrderOf<'import'>, how: RunControls): Promise<RunEnd> {
  const path = await resolveImportPath(deps.importFolder, order.name);
  const toImportCounts = ({ pages, failed, copies, filtered }: ImportCounts): RunCounts => ({
    ...NO_COUNTS,
    pages,
    failed,
    duplicates: copies,
    skipped: filtered,
  });
  const summary = await deps.importPages({
    path,
    baseUrl: order.baseUrl,
    signal: how.signal,
    onProgress: (progress) => how.onProgress(toImportCounts(progress)),
  });
  const note = summary.problems.length === 0 ? 'Every page is in the index.' : summary.problems.join('\n');
  return { counts: toImportCounts(summary), note };
}

async function refresh(deps: PerformDeps, order: OrderOf<'refresh'>, how: RunControls): Promise<RunEnd> {
  const toRefreshCounts = (done: { changed: number; unchanged: number; gone: number; failed: number }) => ({
    ...NO_COUNTS,
    pages: done.changed,
    duplicates: done.unchanged,
    skipped: done.gone,
    failed: done.failed,
  });
  const done = await deps.refresh({
    pagesMax: order.pagesMax,
    signal: how.signal,
    onProgress: (summary) => how.onProgress(toRefreshCounts(summary)),
  });
  const { changed, unchanged, gone, failed } = done;
  const note = `${changed} changed, ${unchanged} unchanged, ${gone} gone, ${failed} failed.`;
  return { counts: toRefreshCounts(done), note };
}

/** Lists the names in the folder of imports, at most NAMES_MAX. Creates the folder if absent. */
export async function listImportNames(folder: string): Promise<string[]> {
  makePrivateFolder(folder);
  return (await readdir(folder)).sort().slice(0, NAMES_MAX);
}

const NAMES_MAX = 200;

/** Resolves a name in a folder to its path. Throws `Failure('validation_error')` if it leads outside, also through links. */
async function resolveImportPath(folder: string, name: string): Promise<string> {
  const refuse = (message: string): Failure =>
    new Failure('validation_error', `name: ${message}`, { fields: [{ field: 'name', message }] });
  makePrivateFolder(folder);
  const root = await realpath(folder);
  const path = await realpath(join(root, name)).catch(() => null);
  if (path === null) throw refuse('there is no such file in the folder of imports');
  if (!path.startsWith(root + sep)) throw refuse('must lie in the folder of imports');
  return path;
}
