import { setImmediate as nextTurn } from 'node:timers/promises';
import { toCrawlableUrl } from '../../text/urls/crawlable.ts';
import { toHostKey } from '../../text/urls/sites.ts';
import type { NoiseParameters } from '../frontier/noise-parameters.ts';
import { createSeenUrls } from '../frontier/seen-urls.ts';
import type { SiteQueues } from './site-queues.ts';
import type { SiteRules, UrlVerdict } from './site-rules.ts';
import type { SiteRow } from './site-types.ts';

export type SiteRowsOptions = {
  rules: SiteRules;
  depthMax: number;
  /** Maximum new addresses followed from one page. */
  breadthMax: number;
  /** Maximum addresses known. */
  urlsMax: number;
  /** Scores how well an address and the text of a link to it fit the instructions, 0..1. */
  interestOf(url: string, linkText: string): number;
  signal: AbortSignal;
};

/** The addresses that a site crawl knows, and which of them are followed. */
type SiteRows = {
  get(url: string): SiteRow | undefined;
  all(): SiteRow[];
  /** Returns null if the address is known already, or `urlsMax` is reached. */
  insert(url: string, depth: number, what: Pick<SiteRow, 'verdict' | 'interest'>): SiteRow | null;
  /** Records the address at which the page of a row was found. */
  foundAt(row: SiteRow, url: string): void;
  /** Adds addresses from outside the pages. */
  admit(listed: string[], depthOf: (url: string) => number): Promise<void>;
  /** Follows the links of a visited row, and those of known rows to which it opens a shorter path. */
  follow(row: SiteRow, linkTexts: Map<string, string>): Promise<void>;
};

/** Characters of addresses judged before yielding to other work: a caller's patterns may be slow. */
const SLICE_CHARS = 20_000;

export function createSiteRows(
  options: SiteRowsOptions,
  { queues, noise }: { queues: SiteQueues; noise: NoiseParameters },
): SiteRows {
  const seen = createSeenUrls(options.urlsMax);
  const rows = new Map<string, SiteRow>();
  const judge = createJudge(options);
  const insert: SiteRows['insert'] = (url, depth, { verdict, interest }) => {
    if (!seen.admit(url)) return null;
    const row: SiteRow = {
      id: rows.size,
      url,
      host: toHostKey(url),
      depth,
      attempts: 0,
      not_before: 0,
      verdict,
      interest,
      state: 'pending',
      links: [],
      followed: 0,
    };
    rows.set(url, row);
    queues.put(row);
    return row;
  };
  return {
    insert,
    get: (url) => rows.get(url),
    all: () => [...new Set(rows.values())],
    foundAt(row, url) {
      seen.remember(url);
      if (!rows.has(url)) rows.set(url, row);
    },
    async admit(listed, depthOf) {
      for (const link of listed) {
        const url = toCrawlableUrl(link);
        if (url === null || rows.has(url) || depthOf(url) > options.depthMax) continue;
        const verdict = await judge(url);
        if (verdict !== null) insert(url, depthOf(url), { verdict, interest: options.interestOf(url, '') });
      }
    },
    async follow(first, texts) {
      const nearer = [first];
      for (let row = nearer.pop(); row !== undefined; row = nearer.pop()) {
        if (!row.verdict.inside || row.depth >= options.depthMax) continue;
        const fresh: FoundLink[] = [];
        for (const link of row.links) {
          const url = noise.strip(link);
          const interest = options.interestOf(url, texts.get(link) ?? '');
          const known = rows.get(url);
          if (known === undefined) {
            const verdict = await judge(url);
            if (verdict !== null) fresh.push({ url, verdict, interest });
          } else if (recordShorterPath(known, { depth: row.depth + 1, interest })) {
            queues.touch(known);
            nearer.push(known);
          }
        }
        for (const found of fresh.toSorted(compareBestFirst)) {
          if (row.followed >= options.breadthMax) break;
          if (insert(found.url, row.depth + 1, found) !== null) row.followed += 1;
        }
      }
    },
  };
}

type FoundLink = Pick<SiteRow, 'url' | 'verdict' | 'interest'>;

/** Records another path to a known row; returns whether it is shorter. */
function recordShorterPath(known: SiteRow, way: Pick<SiteRow, 'depth' | 'interest'>): boolean {
  known.interest = Math.max(known.interest, way.interest);
  if (known.depth <= way.depth) return false;
  known.depth = way.depth;
  return true;
}

/** Judges addresses, yielding to other work in between; ignores every address once the crawl has ended. */
function createJudge({ rules, signal }: SiteRowsOptions): (url: string) => Promise<UrlVerdict | null> {
  let chars = 0;
  return async (url) => {
    chars += url.length;
    if (chars >= SLICE_CHARS) {
      chars = 0;
      await nextTurn();
    }
    return signal.aborted ? null : rules.judge(url);
  };
}

/** Wanted pages of the site first, then its other pages, then pages of other sites; within each group, the best fit first. */
function compareBestFirst(left: FoundLink, right: FoundLink): number {
  return (
    Number(right.verdict.inside) - Number(left.verdict.inside) ||
    Number(right.verdict.wanted) - Number(left.verdict.wanted) ||
    right.interest - left.interest
  );
}
