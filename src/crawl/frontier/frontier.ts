/**
 * The frontier of a background crawl in the store: which addresses are known, which wait and how the others ended. It resumes an
 * unfinished crawl with the same start addresses and scope. It does not visit pages.
 */
import { createHash } from 'node:crypto';
import type { Store } from '../../platform/store/open-store.ts';
import { toHostKey } from '../../text/urls/sites.ts';
import {
  countReasons,
  insertRows,
  readNextRows,
  reopenRows,
  streamKnownRows,
  writeOutcome,
} from './frontier-rows.ts';
import type { Frontier, FrontierRow } from './frontier-types.ts';
import { createHostQueues } from './host-queues.ts';
import { createKnownUrls, type KnownUrls } from './known-urls.ts';

type FrontierOptions = {
  starts: string[];
  /** Distinguishes crawls with the same start addresses, such as one with a narrower scope. */
  scope: string;
  /** Start over even if an earlier crawl from the same addresses is unfinished. */
  fresh: boolean;
  pagesMax: number;
  urlsMax: number;
  /** Maximum addresses of one host. */
  hostUrlsMax: number;
  now: number;
};

/** Opens the frontier of the crawl from these start addresses: continues an unfinished crawl and restarts a finished one. */
export async function openFrontier(store: Store, options: FrontierOptions): Promise<Frontier> {
  const crawlId = computeCrawlId(options);
  const earlier = await store.selectFrom('crawl').selectAll().where('id', '=', crawlId).executeTakeFirst();
  const known = createKnownUrls(options);
  for await (const rows of streamKnownRows(store, crawlId)) known.remember(rows);
  const { pending, done } = known.counts;
  const resumed = earlier !== undefined && !options.fresh && pending > 0 && done < options.pagesMax;
  if (!resumed) {
    await resetCrawl(store, crawlId, options);
    known.clear();
  }
  const frontier = createFrontier(store, { crawlId, known, resumed });
  await frontier.add(options.starts, 0);
  return frontier;
}

function computeCrawlId({ starts, scope }: FrontierOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, ...starts.toSorted()]))
    .digest('hex')
    .slice(0, 32);
}

async function resetCrawl(store: Store, id: string, { starts, now }: FrontierOptions): Promise<void> {
  await store.transaction().execute(async (tx) => {
    await tx.deleteFrom('crawl_url').where('crawl_id', '=', id).execute();
    await tx.deleteFrom('crawl').where('id', '=', id).execute();
    await tx
      .insertInto('crawl')
      .values({ id, starts: JSON.stringify(starts), started_at: now })
      .execute();
  });
}

type FrontierState = { crawlId: string; known: KnownUrls; resumed: boolean };

function createFrontier(store: Store, { crawlId, known, resumed }: FrontierState): Frontier {
  const queues = createHostQueues(known, (host, limit) => readNextRows(store, crawlId, { host, limit }));
  const insert = async (tx: Store, urls: string[], depth: number): Promise<void> => {
    const fresh = known.admit(urls);
    await insertRows(tx, crawlId, { urls: fresh, depth });
    for (const url of fresh) queues.outdate(toHostKey(url));
  };
  return {
    resumed,
    hosts: known.hosts,
    knownHosts: known.knownHosts,
    hasVisited: known.hasSettled,
    counts: () => ({ ...known.counts }),
    titleOf: (pageUrl) => known.titles.get(pageUrl),
    isClaimed: (pageUrl) => known.claimed.has(pageUrl),
    claim: known.claim,
    add: (urls, depth) => insert(store, urls, depth),
    async skip(urls, reason) {
      const fresh = known.skip(urls);
      await insertRows(store, crawlId, { urls: fresh, depth: 1, skipped: reason });
    },
    peek: queues.peek,
    take: queues.take,
    putBack: queues.putBack,
    // This process alone uses the store.
    holds: () => true,
    ours: async (rows) => new Set(rows.map(({ id }) => id)),
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
    reasons: () => countReasons(store, crawlId),
  };
}
