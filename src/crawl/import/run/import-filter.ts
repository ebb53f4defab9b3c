import type { IndexedPage, PageOrigin } from '../../../index/local-index-types.ts';
import { toUtcDay } from '../../../platform/clock.ts';
import { chunkPage } from '../../../text/chunk/known-chunks.ts';
import { guessLanguage } from '../../../text/words/guess-language.ts';
import type { SourcePage } from '../formats/json-lines.ts';
import type { ColumnMap } from '../formats/parquet/column-map.ts';
import { parsePrimaryLanguage } from './convert-source-page.ts';

/** Selects the pages of a source to import; null: no restriction. */
type ImportFilter = {
  /** Hosts, including their subdomains. */
  hosts: string[] | null;
  /** Primary language subtags. If a page states no language, it is guessed from the text. */
  languages: string[] | null;
  /** Earliest day (YYYY-MM-DD); pages without a date are excluded. */
  since: string | null;
};

export type ImportOptions = ImportFilter & {
  /** Maximum pages to import, over all runs of this import; null: all. */
  limit: number | null;
  /** Columns of tables; null: the usual names. */
  columns: ColumnMap | null;
  /** Overrides the origin that the files state. */
  origin: PageOrigin | null;
  /** True to import also pages that nearly repeat an earlier one of this import. */
  keepCopies: boolean;
  /** True to start over instead of resuming an interrupted run. */
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

/** Returns whether a page can match the filter, judged before its text is read. */
export function canBeWanted(page: SourcePage, { hosts, languages, since }: ImportFilter): boolean {
  if (hosts !== null && !isOnHosts(page.url, hosts)) return false;
  const stated = parsePrimaryLanguage(page.language);
  if (languages !== null && stated !== null && !languages.includes(stated)) return false;
  const day = page.publishedDay ?? (page.fetchedAt === null ? undefined : toUtcDay(page.fetchedAt));
  // The date may still be found in the text.
  return since === null || day === undefined || day >= since;
}

/** Returns whether a page matches the filter. */
export function isWanted(page: IndexedPage, isDated: boolean, { languages, since }: ImportFilter): boolean {
  if (languages !== null && !languages.includes(page.language ?? guessPageLanguage(page) ?? '')) return false;
  if (since === null) return true;
  const day = page.publishedDay ?? (isDated ? toUtcDay(page.fetchedAt) : null);
  return day !== null && day >= since;
}

function isOnHosts(address: string, hosts: readonly string[]): boolean {
  const host = URL.parse(address)?.hostname ?? '';
  return hosts.some((wanted) => host === wanted || host.endsWith(`.${wanted}`));
}

function guessPageLanguage({ markdown }: IndexedPage): string | null {
  return guessLanguage(chunkPage(markdown.slice(0, SAMPLE_CHARS)));
}
