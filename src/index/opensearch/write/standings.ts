import type { StandingsPart } from '../../hosts/host-types.ts';
import type { Cluster } from '../connect/cluster.ts';
import { type IndexNames, RANKING_ID } from '../layout/layout.ts';
import { sendBulk } from './bulk.ts';
import { buildHostId } from './page-document.ts';

const REMOVED_AT_ONCE = 1_000;

/** Writes a part of a ranking of hosts; the last part removes hosts that are not in the ranking. */
export async function putStandings(
  cluster: Cluster,
  { hosts: index }: IndexNames,
  { rankedAt, standings, ranking }: StandingsPart,
): Promise<void> {
  const rows = standings.map((put) => ({ index, id: buildHostId(put.host), put: { ...put, rankedAt } }));
  await sendBulk(cluster, rows, { wait: false });
  if (ranking === null) return;
  await removeBefore(cluster, index, rankedAt);
  await sendBulk(cluster, [{ index, id: RANKING_ID, put: { ranking } }], { wait: true });
}

async function removeBefore(cluster: Cluster, index: string, rankedAt: number): Promise<void> {
  await cluster.request({ method: 'POST', path: `/${index}/_refresh` });
  for (let isLast = false; !isLast; ) {
    const { hits } = await cluster.request<{ hits: { hits: { _id: string }[] } }>({
      method: 'POST',
      path: `/${index}/_search`,
      query: { allow_partial_search_results: false },
      body: { size: REMOVED_AT_ONCE, _source: false, query: { range: { rankedAt: { lt: rankedAt } } } },
    });
    const removals = hits.hits.map(({ _id: id }) => ({ index, id, remove: true }) as const);
    isLast = removals.length < REMOVED_AT_ONCE;
    await sendBulk(cluster, removals, { wait: true });
  }
}

/** Deletes the standings of the pages' hosts. */
export async function forgetStandings(
  cluster: Cluster,
  { hosts: index }: IndexNames,
  urls: readonly string[],
): Promise<void> {
  const hosts = new Set(urls.map((url) => new URL(url).host));
  const removals = [...hosts].map((host) => ({ index, id: buildHostId(host), remove: true }) as const);
  await sendBulk(cluster, removals, { wait: true });
}
