import type { IndexedPage, PageOrigin } from '../../../index/local-index-types.ts';
import { utcDay } from '../../../platform/utc.ts';
import { chunksOfPage } from '../../../text/chunk/known-chunks.ts';
import { guessLanguage } from '../../../text/words/guess-language.ts';
import type { SourcePage } from '../formats/format-types.ts';
import type { ColumnMap } from '../formats/parquet/column-map.ts';
import { primaryLanguage } from './page-of.ts';

/** What of a source is wanted; null: everything. */
type ImportFilter = {
  /** Hosts, with their subdomains. */
  hosts: string[] | null;
  /** Primary language subtags. A page that names no language counts by its text. */
  languages: string[] | null;
  /** Pages that are dated on or after this day (YYYY-MM-DD); those without a date are not wanted. */
  since: string | null;
};

export type ImportOptions = ImportFilter & {
  /** Pages to import, over all runs of this import; null: all. */
  limit: number | null;
  /** Columns of tables; null: the usual names. */
  columns: ColumnMap | null;
  /** Instead of what the files say of their corpus. */
  origin: PageOrigin | null;
  /** Whether pages that nearly repeat an earlier one of this import are wanted too. */
  keepCopies: boolean;
  /** Whether to start over where an earlier run was interrupted. */
  fresh: boolean;
};

export const ALL_PAGES: ImportOptions = {
  hosts: null,
  languages: null,
  since: null,
  limit: null,
  columns: null,
  origin: null,
  keepCopies: false,
  fresh: false,
};

const SAMPLE_CHARS = 2_000;

/** Whether a page can be wanted, as far as that shows before its text is read. */
export function mayBeWanted(page: SourcePage, { hosts, languages, since }: ImportFilter): boolean {
  if (hosts !== null && !isOnHosts(page.url, hosts)) return false;
  const stated = primaryLanguage(page.language);
  if (languages !== null && stated !== null && !languages.includes(stated)) return false;
  const day = page.publishedDay ?? (page.fetchedAt === null ? undefined : utcDay(page.fetchedAt));
  // The text may still tell the day.
  return since === null || day === undefined || day >= since;
}

/** Whether a page is wanted. */
export function isWanted(page: IndexedPage, isDated: boolean, { languages, since }: ImportFilter): boolean {
  if (languages !== null && !languages.includes(page.language ?? guessed(page) ?? '')) return false;
  if (since === null) return true;
  const day = page.publishedDay ?? (isDated ? utcDay(page.fetchedAt) : null);
  return day !== null && day >= since;
}

function isOnHosts(address: string, hosts: readonly string[]): boolean {
  const host = URL.parse(address)?.hostname ?? '';
  return hosts.some((wanted) => host === wanted || host.endsWith(`.${wanted}`));
}

function guessed({ markdown }: IndexedPage): string | null {
  return guessLanguage(chunksOfPage(markdown.slice(0, SAMPLE_CHARS)));
}
