import { toIndexedPage } from '../../index/indexed-page.ts';
import type { IndexedPage, LocalIndex } from '../../index/local-index-types.ts';
import type { ExtractWorker } from '../../pages/extract-worker.ts';
import { privacyOf } from '../../pages/sharing/privacy-of.ts';
import type { Clock } from '../../platform/clock.ts';
import { readSource, type SourcePage } from './import-source.ts';

type ImportRequest = {
  /** A file or a folder. */
  path: string;
  /** The address that the folder maps to; null: pages get file: addresses. */
  baseUrl: string | null;
  signal: AbortSignal;
  onProgress?: (progress: ImportProgress) => void;
};

type ImportProgress = { pages: number; failed: number };

type ImportSummary = ImportProgress & {
  /** The first failures, worded for people. */
  problems: string[];
};

/** Adds pages from local files to the index. Rejects when the path cannot be read. */
export type ImportPages = (request: ImportRequest) => Promise<ImportSummary>;

const BATCH_PAGES = 50;
const PROBLEMS_MAX = 20;

export function createImportPages(deps: {
  extract: Pick<ExtractWorker, 'extract'>;
  index: Pick<LocalIndex, 'put'>;
  clock: Clock;
}): ImportPages {
  return async ({ path, baseUrl, signal, onProgress }) => {
    const summary: ImportSummary = { pages: 0, failed: 0, problems: [] };
    const fail = (where: string, problem: string): void => {
      summary.failed += 1;
      if (summary.problems.length < PROBLEMS_MAX) summary.problems.push(`${where}: ${problem}`);
    };
    const batch: Promise<IndexedPage | null>[] = [];
    const flush = async (): Promise<void> => {
      const pages = (await Promise.all(batch.splice(0))).filter((page) => page !== null);
      await deps.index.put(pages);
      summary.pages += pages.length;
      onProgress?.(summary);
    };
    for await (const found of readSource(path, baseUrl)) {
      if (signal.aborted) break;
      if ('problem' in found) fail(found.where, found.problem);
      else batch.push(indexedPageOf(found, deps, { signal, fail }));
      if (batch.length >= BATCH_PAGES) await flush();
    }
    await flush();
    return summary;
  };
}

async function indexedPageOf(
  { url, bytes, contentType, fetchedAt, headers = {}, ...stated }: SourcePage,
  deps: { extract: Pick<ExtractWorker, 'extract'>; clock: Clock },
  { signal, fail }: { signal: AbortSignal; fail(where: string, problem: string): void },
): Promise<IndexedPage | null> {
  try {
    const extracted = await deps.extract.extract({ bytes, url, contentType, status: 200 }, signal);
    if (!extracted.ok) {
      fail(url, extracted.message);
      return null;
    }
    const { robots } = extracted.article;
    const privacy = privacyOf({ asked: url, answers: [{ url, headers }], robots });
    if (privacy !== null) {
      fail(url, `may not be shared (${privacy.reason})`);
      return null;
    }
    const page = toIndexedPage(extracted.article, fetchedAt ?? deps.clock.now());
    return { ...page, ...stated };
  } catch (error) {
    if (signal.aborted) return null;
    fail(url, error instanceof Error ? error.message : 'could not be read');
    return null;
  }
}
