/**
 * Ranks the hosts of the index by the links between publishers, and damps hosts whose pages add little. It works on page outlines held
 * in bounded memory and does no I/O: rank-hosts.ts feeds it and stores the result.
 */
import { siteOf } from '../../text/urls/sites.ts';
import { hashOf } from '../../text/words/hashed/hash-of.ts';
import { computeDamping, computeSignals, type HostCounts, isThin } from './host-signals.ts';
import type { HostRanking, HostStanding, PageOutline } from './host-types.ts';
import { createNumberSet } from './number-set.ts';
import { computePageRanks, type SiteLinks } from './page-rank.ts';
import { createPrints } from './text-prints.ts';

/** Ranks hosts by the outlines of all pages, which are added one after the other. */
type HostRanker = {
  add(outlines: readonly PageOutline[]): void;
  /** `rankedAt`: milliseconds since the epoch. */
  finish(rankedAt: number): { ranking: HostRanking; standings: HostStanding[] };
};

/** Bounds of what is kept in memory; about 300 MB when all are reached. */
export type RankBounds = { hostsMax: number; linksMax: number; pagesMax: number };

const BOUNDS: RankBounds = { hostsMax: 300_000, linksMax: 4_000_000, pagesMax: 4_000_000 };
const WORD_VALUES = 2 ** 32;
const CHARS_PER_WORD = 6;
/** A site with a thousand times the mean rank has full authority, one with the mean has none. */
const FULL_AUTHORITY_LOG10 = 3;
const ROUNDING = 1_000;

type Host = HostCounts & { number: number; name: string; site: string };

/**
 * Ranks belong to publishers: a registrable domain is one site, whatever hosts it has. Links within a site do not count, and however
 * many of its hosts and pages link to another site, they count as one link.
 */
export function createHostRanker({ hostsMax, linksMax, pagesMax }: RankBounds = BOUNDS): HostRanker {
  const hosts = new Map<string, Host>();
  const lost = new Set<string>();
  const siteNumbers = new Map<string, number>();
  const links = createNumberSet(linksMax);
  const prints = createPrints(pagesMax);
  let pages = 0;
  const ensureHost = (name: string): Host | null => {
    const known = hosts.get(name);
    if (known !== undefined) return known;
    if (hosts.size >= hostsMax) {
      if (lost.size < hostsMax) lost.add(name);
      return null;
    }
    const site = siteOf(`http://${name}`);
    if (!siteNumbers.has(site)) siteNumbers.set(site, siteNumbers.size);
    const counts = { pages: 0, thin: 0, copied: 0, links: 0, words: 0 };
    const host = { number: hosts.size, name, site, ...counts };
    hosts.set(name, host);
    return host;
  };
  return {
    add(outlines) {
      for (const { host: name, chars, links: count, targets, print } of outlines) {
        pages += 1;
        const host = ensureHost(name);
        if (host === null) continue;
        host.pages += 1;
        host.thin += isThin(chars) ? 1 : 0;
        host.links += count;
        host.words += chars / CHARS_PER_WORD;
        const from = (siteNumbers.get(host.site) ?? 0) * WORD_VALUES;
        // Which of the targets are in the index is known only at the end.
        for (const target of targets) links.add(from + hashOf(siteOf(`http://${target}`)));
        if (print !== null) prints.add(print, host.number);
      }
    },
    finish(rankedAt) {
      const found = [...hosts.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
      const graph = buildGraph(links.values(), siteNumbers);
      const ranks = rankSites(found, graph);
      const byNumber = new Map(found.map((host) => [host.number, host]));
      const findRank = (host: number): number => ranks.get(byNumber.get(host)?.site ?? '') ?? 0;
      for (const [number, copied] of prints.copied(findRank)) {
        const host = byNumber.get(number);
        if (host !== undefined) host.copied = copied;
      }
      const standings = computeStandings(found, rankSites(found, graph));
      return {
        standings,
        ranking: {
          rankedAt,
          pages,
          hosts: found.length,
          links: graph.links.from.length,
          damped: standings.filter(({ damping }) => damping > 0).length,
          dropped: { hosts: lost.size, links: links.dropped(), copies: prints.dropped() },
        },
      };
    },
  };
}

/** Links between the sites of the index; sites are numbered in the order of their names. */
type SiteGraph = { sites: string[]; links: SiteLinks };

function buildGraph(found: Float64Array, numbers: ReadonlyMap<string, number>): SiteGraph {
  const sites = [...numbers.keys()].sort();
  const placeOfHash = new Map(sites.map((site, place) => [hashOf(site), place]));
  const placeOfNumber = new Map(sites.map((site, place) => [numbers.get(site), place]));
  const known = createNumberSet(found.length);
  for (const link of found) {
    const from = placeOfNumber.get(Math.floor(link / WORD_VALUES));
    const to = placeOfHash.get(link % WORD_VALUES);
    if (from !== undefined && to !== undefined && from !== to) known.add(from * WORD_VALUES + to);
  }
  const sorted = known.values();
  return {
    sites,
    links: {
      from: Uint32Array.from(sorted, (link) => Math.floor(link / WORD_VALUES)),
      to: Uint32Array.from(sorted, (link) => link % WORD_VALUES),
    },
  };
}

/** Computes the rank of each site relative to the mean of those that vote. Sites of damped hosts vote less. */
function rankSites(hosts: readonly Host[], { sites, links }: SiteGraph): Map<string, number> {
  const sums = new Map(sites.map((site) => [site, { pages: 0, damped: 0 }]));
  for (const host of hosts) {
    const sum = sums.get(host.site);
    if (sum === undefined) continue;
    sum.pages += host.pages;
    sum.damped += host.pages * computeDamping(computeSignals(host.name, host));
  }
  const votes = Float64Array.from(sums.values(), ({ pages, damped }) => 1 - damped / Math.max(1, pages));
  const ranks = computePageRanks(links, votes);
  const voting = votes.reduce((sum, vote) => sum + vote, 0);
  return new Map(sites.map((site, place) => [site, (ranks[place] ?? 0) * voting]));
}

function computeStandings(hosts: readonly Host[], ranks: ReadonlyMap<string, number>): HostStanding[] {
  return hosts.map((host) => {
    const signals = computeSignals(host.name, host);
    const damping = computeDamping(signals);
    const authority = Math.log10(Math.max(1, ranks.get(host.site) ?? 0)) / FULL_AUTHORITY_LOG10;
    return {
      host: host.name,
      pages: host.pages,
      damping,
      signals,
      authority: Math.round(Math.min(1, authority) * (1 - damping) * ROUNDING) / ROUNDING,
    };
  });
}
