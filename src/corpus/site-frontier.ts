import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { plainText } from '../retrieval/rank/plain-text.ts';
import type { Visited } from './crawl-visit.ts';
import type { Frontier, FrontierRow } from './frontier.ts';
import { createSeen } from './known-urls.ts';
import { hostKey } from './links.ts';
import { createNoiseParameters } from './noise-parameters.ts';
import type { IndexedPage } from './own-index-types.ts';
import { createSiteQueues } from './site-queues.ts';
import { type SiteRules, type Verdict, walkUrl } from './site-rules.ts';

/** An address of a walk; its depth falls when a shorter way to it is found. */
export type SiteRow = FrontierRow & {
  verdict: Verdict;
  /** How well its address and the texts of links to it fit what is looked for, 0..1. */
  interest: number;
  state: 'pending' | 'taken' | 'done' | 'lost';
  /** Addresses that its page leads to, once it has been visited. */
  links: string[];
  /** Of its links, how many were new and are followed. */
  followed: number;
};

export type Found = { url: string; interest: number };

/** What one call knows of a site, in memory; it ends with the call. */
export type SiteFrontier = Pick<Frontier, 'hosts' | 'peek' | 'take' | 'giveBack' | 'titleOf' | 'claim'> & {
  /** The address that the walk starts from; it is under way. */
  begin(url: string): SiteRow;
  /** Adds addresses from outside the pages, such as those of sitemaps. */
  add(urls: string[], depthOf: (url: string) => number): Promise<void>;
  /** Writes what a visit of a row led to. Gives the row when its page is a new one and wanted, else null. */
  settle(visited: Visited): Promise<SiteRow | null>;
  /** The address without what is known not to matter. */
  spell(url: string): string;
  rows(): SiteRow[];
};

export type SiteFrontierOptions = {
  rules: SiteRules;
  depthMax: number;
  /** New addresses that one page may lead to. */
  breadthMax: number;
  /** Addresses known at most. */
  urlsMax: number;
  /** Visits of pages that only lead on. */
  passesMax: number;
  /** Whether addresses that cannot lead on are visited: for their pages; a map only names them. */
  visitsLeaves: boolean;
  /** How well an address fits what is looked for; the page that leads to it gives the text of its link. */
  interestOf(url: string, linkText: string): number;
  /** Text of each link of a page. */
  linkTexts(markdown: string): Map<string, string>;
  signal: AbortSignal;
};

/** Characters of addresses that are judged before other work gets its turn, and links of one page that are looked at. */
const SLICE_CHARS = 20_000;
const LINKS_PER_PAGE_MAX = 5_000;
const DIGEST_CHARS = 50_000;

/** A frontier that knows nothing yet. */
export function createSiteFrontier(options: SiteFrontierOptions): SiteFrontier {
  const { rules, depthMax, breadthMax } = options;
  const seen = createSeen(options.urlsMax);
  const rows = new Map<string, SiteRow>();
  const titles = new Map<string, string>();
  const noise = createNoiseParameters();
  const queues = createSiteQueues(options);
  const judged = createTurns();

  const insert = (
    url: string,
    depth: number,
    { verdict, interest }: Pick<SiteRow, 'verdict' | 'interest'>,
  ): SiteRow | null => {
    if (!seen.fits(url)) return null;
    seen.remember(url);
    const row: SiteRow = {
      ...{ id: rows.size, url, host: hostKey(url), depth, attempts: 0, not_before: 0 },
      ...{ verdict, interest, state: 'pending', links: [], followed: 0 },
    };
    rows.set(url, row);
    queues.put(row);
    return row;
  };
  const interestOf = (url: string, texts: Map<string, string>): number =>
    options.interestOf(url, texts.get(url) ?? '');
  /** Follows the links of a page, and those of pages behind it that are nearer than was known. */
  const follow = async (first: SiteRow, texts: Map<string, string>): Promise<void> => {
    const nearer = [first];
    for (let row = nearer.pop(); row !== undefined; row = nearer.pop()) {
      if (!row.verdict.inside || row.depth >= depthMax) continue;
      const fresh: (Found & { verdict: Verdict })[] = [];
      for (const link of row.links) {
        const url = noise.strip(link);
        const known = rows.get(url);
        if (known !== undefined) {
          known.interest = Math.max(known.interest, interestOf(link, texts));
          if (known.depth <= row.depth + 1) continue;
          known.depth = row.depth + 1;
          queues.touch(known);
          if (known.links.length > 0) nearer.push(known);
          continue;
        }
        await judged.take(url);
        if (options.signal.aborted) return;
        const verdict = rules.judge(url);
        if (verdict !== null) fresh.push({ url, verdict, interest: interestOf(link, texts) });
      }
      for (const found of fresh.toSorted(inOrder)) {
        if (row.followed >= breadthMax) break;
        if (insert(found.url, row.depth + 1, found) !== null) row.followed += 1;
      }
    }
  };

  return {
    hosts: queues.hosts,
    peek: queues.peek,
    take: queues.take,
    giveBack: queues.giveBack,
    titleOf: (url) => titles.get(url),
    claim: (url, title) => void titles.set(url, title),
    spell: noise.strip,
    rows: () => [...new Set(rows.values())],
    begin(url) {
      const verdict = rules.judge(url) ?? { inside: true, wanted: false };
      const row = insert(url, 0, { verdict, interest: 0 });
      if (row === null) throw new Error('a walk begins once');
      queues.take(row);
      return row;
    },
    async add(urls, depthOf) {
      for (const listed of urls) {
        const url = walkUrl(listed);
        if (url === null || rows.has(url)) continue;
        await judged.take(url);
        if (options.signal.aborted) return;
        const verdict = rules.judge(url);
        const depth = depthOf(url);
        if (verdict !== null && depth <= depthMax)
          insert(url, depth, { verdict, interest: options.interestOf(url, '') });
      }
    },
    async settle({ outcome, read }) {
      const row = rows.get(outcome.row.url);
      if (row === undefined) throw new Error(`${outcome.row.url} is not of this walk`);
      if (outcome.state === 'retry' && isWorthARetry(row, outcome.reason)) {
        queues.retry(row, outcome.notBefore);
        return null;
      }
      queues.settled(row);
      const isCopy = read !== null && noise.note(row.url, textDigest(read));
      if (outcome.state === 'done') {
        seen.remember(outcome.finalUrl);
        if (!rows.has(outcome.finalUrl)) rows.set(outcome.finalUrl, row);
        row.verdict = rules.judge(outcome.finalUrl) ?? row.verdict;
        if (!isCopy) row.state = 'done';
      }
      row.links = spelled(outcome.found);
      await follow(row, options.linkTexts(read?.markdown ?? ''));
      return row.state === 'done' && row.verdict.wanted ? row : null;
    },
  };
}

/** A caller waits: another site's page, and one that has just used up its time, are let go. */
function isWorthARetry({ verdict }: SiteRow, reason: string): boolean {
  return verdict.inside && reason !== 'timeout';
}

/** Two addresses with the same digest show the same text, wherever its links lead. */
function textDigest({ title, markdown }: IndexedPage): string {
  const text = plainText(markdown.slice(0, DIGEST_CHARS));
  return createHash('sha256')
    .update(`${title}\n${markdown.length > DIGEST_CHARS ? markdown.length : ''}\n${text}`)
    .digest('base64');
}

function spelled(links: string[]): string[] {
  const urls = links.slice(0, LINKS_PER_PAGE_MAX).map((link) => walkUrl(link));
  return [...new Set(urls.filter((url) => url !== null))];
}

/** Pages of the site that are wanted, then those that lead on, then other sites'; among them what fits better. */
function inOrder(left: Found & { verdict: Verdict }, right: Found & { verdict: Verdict }): number {
  return (
    Number(right.verdict.inside) - Number(left.verdict.inside) ||
    Number(right.verdict.wanted) - Number(left.verdict.wanted) ||
    right.interest - left.interest
  );
}

/** Gives other work its turn between addresses, since a caller's patterns may be slow ones. */
function createTurns(): { take(url: string): Promise<void> } {
  let chars = 0;
  return {
    async take(url) {
      chars += url.length;
      if (chars < SLICE_CHARS) return;
      chars = 0;
      await nextTurn();
    },
  };
}
