import { setImmediate as turn } from 'node:timers/promises';
import { StoreUnavailable } from '../../../contract/errors.ts';
import type { IndexedPage } from '../../local-index-types.ts';
import { computeDueAt, recordVisit, USED_AFTER_MS } from '../../upkeep/revisit.ts';
import type { Cluster } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { type BulkOperation, type BulkOutcome, type DocumentVersion, sendBulk } from './bulk.ts';
import { extractLinks, type LinkWriter } from './links.ts';
import {
  addTimes,
  buildLifeDocument,
  buildPageDocument,
  buildPageId,
  type LifeDocument,
  type PageDocument,
} from './page-document.ts';

/** The target of writes: the aliases, or the indices of a version that has no aliases yet. */
export type WriteTarget = { cluster: Cluster; names: Pick<IndexNames, 'pages' | 'lives'> };

export type WrittenDocument = { page: IndexedPage; document: PageDocument; at: number };

/** Pure: collects the links of written pages. */
export const collectLinks = (written: readonly WrittenDocument[]): Parameters<LinkWriter['put']>[0] =>
  written.map(({ page, document: { id } }) => ({ id, links: extractLinks(page) }));

/** Documents built in a row: about 15 ms of work, after which searches and the requests of earlier pages get their turn. */
const PREPARED_AT_ONCE = 16;

type StoredLife = { life: LifeDocument; seen: DocumentVersion };

/** Maximum consecutive conflicts with other writers of the same page. */
const CONFLICTS_MAX = 8;
/** Distinct numbers available to pages written in the same millisecond. */
const NUMBERS_PER_MS = 1_000;

/** Builds the documents of pages, one put after another, so that the first ones are sent while others are built. */
export function createPreparation(): (
  pages: readonly IndexedPage[],
  at: number,
) => Promise<WrittenDocument[]> {
  let last: Promise<unknown> = Promise.resolve();
  return (pages, at) => {
    const prepared = last.then(() => buildDocuments(pages, at));
    last = prepared.catch(() => {});
    return prepared;
  };
}

/** Rejects if a page has no address. */
async function buildDocuments(pages: readonly IndexedPage[], at: number): Promise<WrittenDocument[]> {
  const written: WrittenDocument[] = [];
  for (const [place, page] of pages.entries()) {
    if (place > 0 && place % PREPARED_AT_ONCE === 0) await turn();
    written.push({ page, document: buildPageDocument(page), at });
  }
  return written;
}

/** Inserts or replaces pages; of two with the same address the last wins. Resolves to the ids of pages whose text has changed. */
export async function putDocuments(
  target: WriteTarget,
  written: readonly WrittenDocument[],
  { wait }: { wait: boolean },
): Promise<Set<string>> {
  const changed = new Set<string>();
  let left = [...new Map(written.map((one) => [one.document.id, one])).values()];
  for (let attempt = 0; left.length > 0; attempt += 1) {
    if (attempt === CONFLICTS_MAX) throw new StoreUnavailable('The index is busy; try again in a moment.');
    const lives = await readLives(
      target,
      left.map(({ document }) => document.id),
    );
    for (const { document } of left) {
      const { textHash = document.textHash } = lives.get(document.id)?.life ?? {};
      if (textHash !== document.textHash) changed.add(document.id);
    }
    const operations = left.flatMap((one, place) => buildPutOperations(target, one, { lives, place }));
    const outcomes = await sendBulk(target.cluster, operations, { wait });
    left = left.filter((_, place) => outcomes[2 * place] === 'conflict');
  }
  return changed;
}

/** Writes the life before the page: a writer whose life conflicts writes both again. */
function buildPutOperations(
  { names }: WriteTarget,
  { page, document, at }: WrittenDocument,
  { lives, place }: { lives: ReadonlyMap<string, StoredLife>; place: number },
): BulkOperation[] {
  const { id } = document;
  const held = lives.get(id);
  const number = at * NUMBERS_PER_MS + (place % NUMBERS_PER_MS);
  const life = buildLifeDocument(page, document, { earlier: held?.life ?? null, at, number });
  return [
    { index: names.lives, id, put: life, over: held?.seen ?? null },
    { index: names.pages, id, put: addTimes(document, life.number, Date.now()) },
  ];
}

/** Deletes pages; resolves to the number deleted. */
export async function removeDocuments(
  { cluster, names }: WriteTarget,
  urls: readonly string[],
  { wait }: { wait: boolean },
): Promise<number> {
  const ids = [...new Set(urls.map(buildPageId))];
  const buildRemovals = (index: string) => ids.map((id): BulkOperation => ({ index, id, remove: true }));
  const outcomes = await sendBulk(cluster, [...buildRemovals(names.pages), ...buildRemovals(names.lives)], {
    wait,
  });
  return outcomes.slice(0, ids.length).filter((outcome) => outcome === 'done').length;
}

/** Records that pages were used, at most once per hour and page. */
export async function recordUse(target: WriteTarget, urls: readonly string[], at: number): Promise<void> {
  const lives = await readLives(target, urls.map(buildPageId));
  const stale = [...lives].filter(([, { life }]) => life.usedAt < at - USED_AFTER_MS);
  await updateLives(
    target,
    stale.map(([id]) => ({ id, update: { usedAt: at } })),
    { wait: false },
  );
}

/** Postpones the next visits. */
export async function postponeVisits(
  target: WriteTarget,
  urls: readonly string[],
  until: number,
): Promise<void> {
  await updateLives(
    target,
    urls.map((url) => ({ id: buildPageId(url), update: { dueAt: until } })),
    { wait: true },
  );
}

/** Records that pages are unchanged. */
export async function confirmPages(
  target: WriteTarget,
  pages: readonly { url: string; fetchedAt: number }[],
): Promise<void> {
  let left = [...pages];
  for (let attempt = 0; left.length > 0 && attempt < CONFLICTS_MAX; attempt += 1) {
    const lives = await readLives(
      target,
      left.map(({ url }) => buildPageId(url)),
    );
    const confirmed = left.flatMap(({ url, fetchedAt }) => {
      const held = lives.get(buildPageId(url));
      if (held === undefined) return [];
      const seen = recordVisit(held.life, { fetchedAt, isChanged: false });
      if (seen.visits === held.life.visits) return [];
      const put = { ...held.life, ...seen, fetchedAt, dueAt: computeDueAt({ url, fetchedAt }, seen) };
      return [{ url, fetchedAt, put, over: held.seen }];
    });
    const outcomes = await sendBulk(
      target.cluster,
      confirmed.map(({ url, put, over }) => ({ index: target.names.lives, id: buildPageId(url), put, over })),
      { wait: true },
    );
    left = confirmed.filter((_, place) => outcomes[place] === 'conflict');
  }
}

function updateLives(
  { cluster, names }: WriteTarget,
  updates: readonly { id: string; update: object }[],
  { wait }: { wait: boolean },
): Promise<BulkOutcome[]> {
  const operations = updates.map(({ id, update }) => ({ index: names.lives, id, update }));
  return sendBulk(cluster, operations, { wait });
}

type LifeResponse = {
  _id: string;
  found?: boolean;
  _seq_no: number;
  _primary_term: number;
  _source: LifeDocument;
};

const LIVES_PER_REQUEST = 1_000;

/** Reads the current lives of pages. */
async function readLives(
  { cluster, names }: WriteTarget,
  ids: readonly string[],
): Promise<Map<string, StoredLife>> {
  const lives = new Map<string, StoredLife>();
  for (let from = 0; from < ids.length; from += LIVES_PER_REQUEST) {
    const { docs } = await cluster.request<{ docs: LifeResponse[] }>({
      method: 'POST',
      path: `/${names.lives}/_mget`,
      body: { ids: ids.slice(from, from + LIVES_PER_REQUEST) },
    });
    for (const { _id: id, found, _seq_no: seqNo, _primary_term: primaryTerm, _source: life } of docs)
      if (found === true) lives.set(id, { life, seen: { seqNo, primaryTerm } });
  }
  return lives;
}
