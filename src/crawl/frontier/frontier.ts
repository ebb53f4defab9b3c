import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Store } from '../../platform/store/open-store.ts';
import type { CrawlUrlTable } from '../../platform/store/tables.ts';
import { hostKey } from '../../text/urls/sites.ts';
import {
  insertRows,
  knownRows,
  markSeeded,
  nextRows,
  reasonsOf,
  reopenRows,
  writeOutcome,
} from './frontier-rows.ts';
import { createQueues } from './host-queues.ts';
import { createKnownUrls, type KnownUrls } from './known-urls.ts';

/** An address that waits for its turn. */
export type FrontierRow = Pick<
  Selectable<CrawlUrlTable>,
  'id' | 'url' | 'host' | 'depth' | 'attempts' | 'not_before'
>;

/** What became of a row, and the addresses that its page led to. */
export type Settled = { row: FrontierRow; found: string[] } & (
  | {
      state: 'done';
      pageUrl: string;
      title: string;
      /** Where a redirect ended. */
      finalUrl: string;
      /** The address of a page not read yet that this one names as its canonical one; null: none. */
      claims: string | null;
      /** Pages that claimed the address of this one, or had its place, are to be read again. */
      overrules: boolean;
    }
  | { state: 'duplicate'; pageUrl: string }
  | { state: 'skipped'; reason: string }
  | { state: 'failed'; reason: string }
  | { state: 'retry'; reason: string; notBefore: number }
);

export type StateCounts = Record<CrawlUrlTable['state'], number>;

/** Everything one crawl knows, kept in the store: what is settled is written, what is under way is still pending there. */
export type Frontier = {
  /** True when an unfinished crawl from the same addresses was found. */
  readonly resumed: boolean;
  /** True once the sitemaps have been read in. */
  readonly seeded: boolean;
  hosts(): string[];
  counts(): StateCounts;
  /** Title by the address under which a page was indexed in this crawl. */
  titleOf(pageUrl: string): string | undefined;
  /** Whether a page that stands elsewhere named the address as its canonical one. */
  isClaimed(pageUrl: string): boolean;
  /** Notes that a page is about to be indexed there, or (null) was named there, so that a visit under way at the same time knows. */
  claim(pageUrl: string, title: string | null): void;
  /** Adds what is not known yet, within the bound. */
  add(urls: string[], depth: number): Promise<void>;
  markSeeded(now: number): Promise<void>;
  /** The next row of a host in breadth-first order, retries last; it stays the next until it is taken. */
  peek(host: string): Promise<FrontierRow | null>;
  take(row: FrontierRow): void;
  /** Gives a taken row back untouched. */
  giveBack(row: FrontierRow): void;
  /** Writes outcomes and the addresses found in one transaction. */
  settle(outcomes: Settled[]): Promise<void>;
  reasons(): Promise<{ state: 'skipped' | 'failed'; reason: string; urls: number; example: string }[]>;
};

type FrontierOptions = {
  starts: string[];
  /** Whatever else makes it another crawl, such as a narrower scope. */
  scope: string;
  /** Forget what an earlier crawl from the same addresses has done. */
  fresh: boolean;
  pagesMax: number;
  urlsMax: number;
  now: number;
};

/** Opens the frontier of the crawl from these start addresses; a finished crawl starts anew, an unfinished one goes on. */
export async function openFrontier(store: Store, options: FrontierOptions): Promise<Frontier> {
  const crawlId = idOf(options);
  const earlier = await store.selectFrom('crawl').selectAll().where('id', '=', crawlId).executeTakeFirst();
  const known = createKnownUrls(await knownRows(store, crawlId), options.urlsMax);
  const { pending, done } = known.counts;
  const resumed = earlier !== undefined && !options.fresh && pending > 0 && done < options.pagesMax;
  if (!resumed) {
    await begin(store, crawlId, options);
    known.clear();
  }
  const frontier = createFrontier(store, {
    crawlId,
    known,
    resumed,
    seeded: resumed && earlier.seeded_at !== null,
  });
  await frontier.add(options.starts, 0);
  return frontier;
}

function idOf({ starts, scope }: FrontierOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, ...starts.toSorted()]))
    .digest('hex')
    .slice(0, 32);
}

async function begin(store: Store, id: string, { starts, now }: FrontierOptions): Promise<void> {
  await store.transaction().execute(async (tx) => {
    await tx.deleteFrom('crawl_url').where('crawl_id', '=', id).execute();
    await tx.deleteFrom('crawl').where('id', '=', id).execute();
    await tx
      .insertInto('crawl')
      .values({ id, starts: JSON.stringify(starts), started_at: now, seeded_at: null })
      .execute();
  });
}

type Composition = { crawlId: string; known: KnownUrls; resumed: boolean; seeded: boolean };

function createFrontier(store: Store, { crawlId, known, resumed, seeded }: Composition): Frontier {
  const queues = createQueues(known, (host, limit) => nextRows(store, crawlId, { host, limit }));
  const insert = async (tx: Store, urls: string[], depth: number): Promise<void> => {
    const fresh = known.admit(urls);
    await insertRows(tx, crawlId, { urls: fresh, depth });
    for (const url of fresh) queues.outdate(hostKey(url));
  };
  return {
    resumed,
    seeded,
    hosts: () => known.hosts(),
    counts: () => ({ ...known.counts }),
    titleOf: (pageUrl) => known.titles.get(pageUrl),
    isClaimed: (pageUrl) => known.claimed.has(pageUrl),
    claim: known.claim,
    add: (urls, depth) => insert(store, urls, depth),
    markSeeded: (now) => markSeeded(store, crawlId, now),
    peek: queues.peek,
    take: queues.take,
    giveBack: queues.giveBack,
    async settle(outcomes) {
      const reopened: Pick<FrontierRow, 'host'>[] = [];
      await store.transaction().execute(async (tx) => {
        for (const outcome of outcomes) {
          await writeOutcome(tx, outcome);
          if (outcome.state === 'done' && outcome.overrules)
            reopened.push(...(await reopenRows(tx, crawlId, outcome)));
          await insert(tx, outcome.found, outcome.row.depth + 1);
        }
      });
      known.reopen(reopened);
      for (const outcome of outcomes) {
        known.settle(outcome);
        queues.settled(outcome.row);
      }
    },
    reasons: () => reasonsOf(store, crawlId),
  };
}
