/**
 * Lists the upstream sources. A source is data and two pure functions, one that builds its request and one that reads its response; adding
 * one adds a file here and a line in this list. Calls, limits, breakers and caches are those of `recall/upstream`.
 */
import { parseDomainFilter } from '../../text/query/filters.ts';
import type { SourceRate, SourceSpec } from '../source.ts';
import { arxiv } from './arxiv.ts';
import { brave } from './brave.ts';
import { crossref } from './crossref.ts';
import { github } from './github.ts';
import { hackernews } from './hackernews.ts';
import { kagi } from './kagi.ts';
import { marginalia } from './marginalia.ts';
import { mojeek } from './mojeek.ts';
import { npm } from './npm.ts';
import { openalex } from './openalex.ts';
import { createPeerSource, type PeerSettings } from './sanderling.ts';
import { searxng } from './searxng.ts';
import { semanticscholar } from './semanticscholar.ts';
import { stackexchange } from './stackexchange.ts';
import { wikidata } from './wikidata.ts';
import { wikipedia } from './wikipedia.ts';

/** Every upstream source but peers, those of the whole web first. The local index is not among them. */
export const ALL_SOURCES: readonly SourceSpec[] = [
  searxng,
  brave,
  mojeek,
  marginalia,
  kagi,
  wikipedia,
  wikidata,
  stackexchange,
  hackernews,
  github,
  npm,
  crossref,
  openalex,
  semanticscholar,
  arxiv,
];

/** The id of no server. */
const NO_SERVER = '0'.repeat(16);

/** Lists every upstream source, peers last. `serverId`: the id of this server, which peers are told; absent: a program beside it asks. */
export function listSources(peers: readonly PeerSettings[], serverId = NO_SERVER): SourceSpec[] {
  return [...ALL_SOURCES, ...peers.map((peer) => createPeerSource(peer, serverId))];
}

/** Returns the rate limit of a source, which a key may raise. */
export function chooseRate({ rate, keyedRate }: SourceSpec, key: string | null): SourceRate {
  return key === null ? rate : (keyedRate ?? rate);
}

/** Returns true if results of the source can be in the included domains (the whole web if there are none). */
export function canAnswer({ hosts }: Pick<SourceSpec, 'hosts'>, includeDomains: readonly string[]): boolean {
  if (hosts === null || includeDomains.length === 0) return true;
  const wanted = includeDomains.flatMap((domain) => parseDomainFilter(domain)?.host ?? []);
  const covers = (wide: string, narrow: string): boolean => narrow === wide || narrow.endsWith(`.${wide}`);
  return wanted.some((host) => hosts.some((own) => covers(own, host) || covers(host, own)));
}
