import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Store } from '../platform/store/open-store.ts';
import type { CrawlUrlTable } from '../platform/store/tables.ts';
import { createKnownUrls, type KnownUrls } from './known-urls.ts';
import { hostKey } from './links.ts';

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
      /** The page itself contradicts what others that named it as their canonical address had put in its place. */
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
  /** Notes that a page is about to be indexed there, so that a visit under way at the same time knows. */
  claim(pageUrl: string, title: string): void;
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

export type FrontierOptions = {
  starts: string[];
  /** Whatever else makes it another crawl, such as a narrower scope. */
  scope: string;
  /** Forget what an earlier crawl from the same addresses has done. */
  fresh: boolean;
  pagesMax: number;
  urlsMax: number;
  now: number;
};

const BUFFERED_ROWS = 64;
const INSERTED_ROWS = 100;

/** Opens the frontier of the crawl from these start addresses; a finished crawl starts anew, an unfinished one goes on. */
export async function openFrontier(store: Store, options: FrontierOptions): Promise<Frontier> {
  const crawlId = idOf(options);
  const earlier = await store.selectFrom('crawl').selectAll().where('id', '=', crawlId).executeTakeFirst();
  const known = await createKnownUrls(store, crawlId, options.urlsMax);
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

type Parts = { crawlId: string; known: KnownUrls; resumed: boolean; seeded: boolean };

function createFrontier(store: Store, { crawlId, known, resumed, seeded }: Parts): Frontier {
  const buffers = new Map<string, FrontierRow[]>();
  const taken = new Set<number>();
  const refill = async (host: string): Promise<FrontierRow[]> => {
    const rows = await store
      .selectFrom('crawl_url')
      .select(['id', 'url', 'host', 'depth', 'attempts', 'not_before'])
      .where('crawl_id', '=', crawlId)
      .where('state', '=', 'pending')
      .where('host', '=', host)
      .orderBy('attempts')
      .orderBy('depth')
      .orderBy('id')
      .limit(BUFFERED_ROWS + taken.size)
      .execute();
    const free = rows.filter(({ id }) => !taken.has(id));
    buffers.set(host, free);
    return free;
  };
  const insert = async (tx: Store, urls: string[], depth: number): Promise<void> => {
    const fresh = known.admit(urls);
    for (let at = 0; at < fresh.length; at += INSERTED_ROWS) {
      const rows = fresh.slice(at, at + INSERTED_ROWS).map((url) => newRow(crawlId, url, depth));
      await tx
        .insertInto('crawl_url')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    for (const url of fresh) outdate(buffers, hostKey(url));
  };
  return {
    resumed,
    seeded,
    hosts: () => known.hosts(),
    counts: () => ({ ...known.counts }),
    titleOf: (pageUrl) => known.titles.get(pageUrl),
    claim: (pageUrl, title) => void known.titles.set(pageUrl, title),
    add: (urls, depth) => insert(store, urls, depth),
    async markSeeded(now) {
      await store.updateTable('crawl').set({ seeded_at: now }).where('id', '=', crawlId).execute();
    },
    async peek(host) {
      const [next] = buffers.get(host) ?? [];
      if (next !== undefined) return next;
      return known.pendingOf(host) > 0 ? ((await refill(host))[0] ?? null) : null;
    },
    take(row) {
      taken.add(row.id);
      known.takePending(row.host, 1);
      buffers.set(
        row.host,
        (buffers.get(row.host) ?? []).filter(({ id }) => id !== row.id),
      );
    },
    giveBack(row) {
      taken.delete(row.id);
      known.takePending(row.host, -1);
      buffers.delete(row.host);
    },
    async settle(outcomes) {
      const reopened: Pick<FrontierRow, 'host'>[] = [];
      await store.transaction().execute(async (tx) => {
        for (const outcome of outcomes) {
          await write(tx, outcome);
          if (outcome.state === 'done' && outcome.overrules)
            reopened.push(...(await reopen(tx, crawlId, outcome)));
          await insert(tx, outcome.found, outcome.row.depth + 1);
        }
      });
      known.reopen(reopened);
      for (const outcome of outcomes) {
        taken.delete(outcome.row.id);
        known.settle(outcome);
        if (outcome.state === 'retry') outdate(buffers, outcome.row.host);
      }
    },
    reasons: () => reasonsOf(store, crawlId),
  };
}

/** A buffer that ends in retries is read again, so that fresh addresses come before them. */
function outdate(buffers: Map<string, FrontierRow[]>, host: string): void {
  const [next] = buffers.get(host) ?? [];
  if (next === undefined || next.attempts > 0) buffers.delete(host);
}

function newRow(crawlId: string, url: string, depth: number): Omit<Selectable<CrawlUrlTable>, 'id'> {
  const nothing = { attempts: 0, not_before: 0, reason: null, page_url: null, title: null };
  return { crawl_id: crawlId, url, host: hostKey(url), depth, state: 'pending', ...nothing };
}

async function write(tx: Store, outcome: Settled): Promise<void> {
  const { id, attempts } = outcome.row;
  const update = tx.updateTable('crawl_url').where('id', '=', id);
  const tried = { attempts: attempts + 1 };
  switch (outcome.state) {
    case 'done':
      await update
        .set({ ...tried, state: 'done', reason: null, page_url: outcome.pageUrl, title: outcome.title })
        .execute();
      return;
    case 'duplicate':
      await update.set({ ...tried, state: 'duplicate', reason: null, page_url: outcome.pageUrl }).execute();
      return;
    case 'retry':
      await update.set({ ...tried, reason: outcome.reason, not_before: outcome.notBefore }).execute();
      return;
    default:
      await update.set({ ...tried, state: outcome.state, reason: outcome.reason }).execute();
  }
}

/** Pages that claimed to be this one and are not: they are read again and then stand under their own addresses. */
async function reopen(
  tx: Store,
  crawlId: string,
  { row, pageUrl }: Settled & { state: 'done' },
): Promise<Pick<FrontierRow, 'host'>[]> {
  const claimed = tx
    .updateTable('crawl_url')
    .set({ state: 'pending', attempts: 0, page_url: null, title: null })
    .where('crawl_id', '=', crawlId)
    .where('page_url', '=', pageUrl)
    .where('state', '=', 'done')
    .where('id', '!=', row.id);
  return claimed.returning('host').execute();
}

async function reasonsOf(store: Store, crawlId: string): ReturnType<Frontier['reasons']> {
  const rows = await store
    .selectFrom('crawl_url')
    .select(({ fn }) => [
      'state',
      'reason',
      fn.countAll<number>().as('urls'),
      fn.min<string>('url').as('example'),
    ])
    .where('crawl_id', '=', crawlId)
    .where('state', 'in', ['skipped', 'failed'])
    .groupBy(['state', 'reason'])
    .orderBy('urls', 'desc')
    .execute();
  return rows.map(({ state, reason, urls, example }) => ({
    state: state === 'failed' ? 'failed' : 'skipped',
    reason: reason ?? '',
    urls: Number(urls),
    example,
  }));
}
