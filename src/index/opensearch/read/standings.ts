import { LRUCache } from 'lru-cache';
import type { HostRanking, HostStanding, StandingsQuery } from '../../hosts/host-ranker.ts';
import type { Standing } from '../../hosts/standing.ts';
import type { Cluster } from '../connect/cluster.ts';
import { type IndexNames, RANKING_ID } from '../layout/layout.ts';
import { buildHostId } from '../write/page-document.ts';

/** Reads the standings of the pages' hosts, without unranked hosts. `changed`: the number of changes that this process has made. */
export type Standings = (
  urls: readonly (string | null)[],
  changed: number,
) => Promise<ReadonlyMap<string, Standing>>;

/** Reads of the host ranking for the operator. */
export type ClusterRankedHosts = {
  ranking(argument: undefined): Promise<HostRanking | null>;
  standings(query: StandingsQuery): Promise<HostStanding[]>;
};

const HOSTS_KEPT_MAX = 50_000;
/** Long, because hosts are seldom ranked. */
const KEPT_MS = 60_000;
const SHOWN_MAX = 10_000;

export const parseHost = (url: string | null): string | null =>
  url === null ? null : (URL.parse(url)?.host ?? null);

export function createStandings(cluster: Cluster, { hosts: index }: IndexNames): Standings {
  const kept = new LRUCache<string, { standing: Standing | null }>({ max: HOSTS_KEPT_MAX, ttl: KEPT_MS });
  let keptAt = 0;
  return async (urls, changed) => {
    if (changed !== keptAt) kept.clear();
    keptAt = changed;
    const hosts = [...new Set(urls.map(parseHost))].filter((host) => host !== null);
    const asked = hosts.filter((host) => !kept.has(host));
    const found = new Map<string, Standing>();
    const standings = asked.length === 0 ? [] : await readStandings(cluster, index, asked);
    for (const [place, host] of asked.entries()) kept.set(host, { standing: standings[place] ?? null });
    for (const host of hosts) {
      const standing = kept.get(host)?.standing;
      if (standing) found.set(host, standing);
    }
    return found;
  };
}

type Doc = { found?: boolean; _source: Standing };

async function readStandings(
  cluster: Cluster,
  index: string,
  hosts: readonly string[],
): Promise<(Standing | null)[]> {
  const { docs } = await cluster.request<{ docs: Doc[] }>({
    method: 'POST',
    path: `/${index}/_mget`,
    body: { ids: hosts.map(buildHostId) },
    query: { _source_includes: 'authority,damping' },
  });
  return docs.map(({ found, _source: standing }) => (found === true ? standing : null));
}

export function createRankedHosts(cluster: Cluster, { hosts: index }: IndexNames): ClusterRankedHosts {
  return {
    async ranking() {
      const { docs } = await cluster.request<{
        docs: { found?: boolean; _source: { ranking: HostRanking } }[];
      }>({ method: 'POST', path: `/${index}/_mget`, body: { ids: [RANKING_ID] } });
      return docs[0]?.found === true ? docs[0]._source.ranking : null;
    },
    async standings({ onlyDamped, limit }) {
      const { hits } = await cluster.request<{ hits: { hits: { _source: HostStanding }[] } }>({
        method: 'POST',
        path: `/${index}/_search`,
        body: {
          size: Math.min(limit, SHOWN_MAX),
          track_total_hits: false,
          _source: ['host', 'pages', 'authority', 'damping', 'signals'],
          query: onlyDamped ? { range: { damping: { gt: 0 } } } : { exists: { field: 'host' } },
          sort: [{ [onlyDamped ? 'damping' : 'authority']: 'desc' }, { pages: 'desc' }, { host: 'asc' }],
        },
      });
      return hits.hits.map(({ _source: standing }) => standing);
    },
  };
}
