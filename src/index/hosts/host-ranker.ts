/**
 * Ranks the hosts of the index by the links between publishers, and damps hosts whose pages add little. It works on page outlines held
 * in bounded memory and does no I/O: rank-thread.ts feeds it and stores the result.
 */

import { readFileSync } from 'node:fs';
import { findRegistrableDomain, findSite } from '../../text/urls/sites.ts';
import { hashTerm } from '../../text/words/hashed/hash-terms.ts';
import { computePageRanks, type SiteLinks } from './page-rank.ts';

const FIRST_SLOTS = 1_024;
const FREE = -1;
const SPREAD = 0x9e3779b1;

const FIRST_PAGES = 1_024;
/** Minimum ratio of ranks that tells which of two hosts wrote a text. */
const HIGHER = 1.2;

const rules: SignalRules = JSON.parse(readFileSync(new URL('./signals.json', import.meta.url), 'utf8'));
const nameRules = Object.values(rules.names).map(({ pattern, ...rule }) => ({
  ...rule,
  pattern: new RegExp(pattern, 'g'),
}));
/** Returns whether a page has too little text to be worth finding. */
const isThin = (chars: number): boolean => chars < rules.thinChars;
const round = (value: number): number => Math.round(value * ROUNDING) / ROUNDING;

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
    const site = findSite(`http://${name}`);
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
        for (const target of targets) links.add(from + hashTerm(findSite(`http://${target}`)));
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
  const placeOfHash = new Map(sites.map((site, place) => [hashTerm(site), place]));
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

/** Sums over the pages of a host. */
type HostCounts = { pages: number; thin: number; copied: number; links: number; words: number };

type SignalRules = {
  /** A signal has no weight up to `from` and its full weight from `to` on. */
  signals: Record<keyof HostSignals, { from: number; to: number; weight: number }>;
  /** A host whose signals sum to less than this is not damped. */
  least: number;
  /** Faultless pages added to each host's count, because few pages prove little. */
  pagesUncertain: number;
  thinChars: number;
  names: Record<string, { pattern: string; atLeast: number; points: number }>;
};

/** Pure: computes the signals that a host adds little, from its name and its pages. */
export function computeSignals(host: string, { pages, thin, copied, links, words }: HostCounts): HostSignals {
  const computeShare = (part: number): number => round(part / (pages + rules.pagesUncertain));
  return {
    copied: computeShare(copied),
    thin: computeShare(thin),
    linksPerWord: round(words === 0 ? 0 : (links / words) * (pages / (pages + rules.pagesUncertain))),
    madeName: scoreMadeName(host),
  };
}

/** Pure: computes the damping of a host, from 0 to 1. */
export function computeDamping(signals: HostSignals): number {
  const sum = Object.entries(rules.signals).reduce((total, [name, { from, to, weight }]) => {
    const value = signals[name as keyof HostSignals];
    return total + weight * Math.min(1, Math.max(0, (value - from) / (to - from)));
  }, 0);
  return sum < rules.least ? 0 : round(Math.min(1, sum));
}

/** Scores how machine-generated the name of a host looks, from 0 to 1. */
function scoreMadeName(host: string): number {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const domain = findRegistrableDomain(name);
  // IP addresses and intranet names are exempt; names in other scripts look generated in their encoding.
  if (domain === null || name.includes('xn--')) return 0;
  const suffix = domain.slice(domain.indexOf('.'));
  const labels = name.slice(0, -suffix.length);
  const points = nameRules.reduce(
    (sum, { pattern, atLeast, points: given }) =>
      sum + ((labels.match(pattern)?.length ?? 0) >= atLeast ? given : 0),
    0,
  );
  return round(Math.min(1, points));
}

/** Counts the copied pages of each host. */
type TextPrints = {
  /** Pages that no longer fit are counted and left out. */
  add(print: number, host: number): void;
  dropped(): number;
  /** Counts, for each host, the pages with the same text as a page of a higher-ranked host or as another page of its own. */
  copied(rankOf: (host: number) => number): Map<number, number>;
};

function createPrints(pagesMax: number): TextPrints {
  let prints = new Float64Array(FIRST_PAGES);
  let hosts = new Uint32Array(FIRST_PAGES);
  let size = 0;
  let dropped = 0;
  const grow = (): void => {
    const [morePrints, moreHosts] = [new Float64Array(size * 2), new Uint32Array(size * 2)];
    morePrints.set(prints);
    moreHosts.set(hosts);
    [prints, hosts] = [morePrints, moreHosts];
  };
  return {
    add(print, host) {
      if (size >= pagesMax) {
        dropped += 1;
        return;
      }
      if (size === prints.length) grow();
      prints[size] = print;
      hosts[size] = host;
      size += 1;
    },
    dropped: () => dropped,
    copied(rankOf) {
      const order = Uint32Array.from({ length: size }, (_, page) => page);
      order.sort((one, other) => (prints[one] ?? 0) - (prints[other] ?? 0));
      const counts = new Map<number, number>();
      for (let first = 0, end = 0; first < size; first = end) {
        const print = prints[order[first] ?? 0];
        while (end < size && prints[order[end] ?? 0] === print) end += 1;
        if (end - first > 1)
          countCopies(
            Array.from(order.subarray(first, end), (page) => hosts[page] ?? 0),
            { rankOf, counts },
          );
      }
      return counts;
    },
  };
}

/** Counts the copies among the hosts of one text. */
function countCopies(
  hosts: readonly number[],
  { rankOf, counts }: { rankOf: (host: number) => number; counts: Map<number, number> },
): void {
  const held = new Map<number, number>();
  for (const host of hosts) held.set(host, (held.get(host) ?? 0) + 1);
  const highest = [...held.keys()].reduce((most, host) => Math.max(most, rankOf(host)), 0);
  for (const [host, pages] of held) {
    const copies = highest > HIGHER * rankOf(host) ? pages : pages - 1;
    if (copies > 0) counts.set(host, (counts.get(host) ?? 0) + copies);
  }
}

/** A set of numbers in one typed array, which doubles as it fills; much smaller than a Set of a million numbers. */
type NumberSet = {
  /** Numbers that no longer fit are counted and left out. */
  add(value: number): void;
  dropped(): number;
  /** Ascending. */
  values(): Float64Array;
};

/** Creates a set of at most `sizeMax` integers from 0 to 2 ** 53. */
export function createNumberSet(sizeMax: number): NumberSet {
  let slots = new Float64Array(FIRST_SLOTS).fill(FREE);
  let size = 0;
  let dropped = 0;
  const findSlot = (value: number): number => {
    const low = value % WORD_VALUES;
    const mixed = Math.imul(low ^ Math.imul((value - low) / WORD_VALUES, SPREAD), SPREAD);
    let slot = (mixed ^ (mixed >>> 15)) & (slots.length - 1);
    while (slots[slot] !== FREE && slots[slot] !== value) slot = (slot + 1) & (slots.length - 1);
    return slot;
  };
  const grow = (): void => {
    const held = slots.filter((value) => value !== FREE);
    slots = new Float64Array(slots.length * 2).fill(FREE);
    for (const value of held) slots[findSlot(value)] = value;
  };
  return {
    add(value) {
      const slot = findSlot(value);
      if (slots[slot] === value) return;
      if (size >= sizeMax) {
        dropped += 1;
        return;
      }
      slots[slot] = value;
      size += 1;
      if (size * 2 > slots.length) grow();
    },
    dropped: () => dropped,
    values: () => slots.filter((value) => value !== FREE).sort(),
  };
}

/** The properties of a page that host ranking uses. */
export type PageOutline = {
  host: string;
  /** Visible characters. */
  chars: number;
  links: number;
  /** Hosts of other publishers that it links to, each once. */
  targets: string[];
  /** Fingerprint of the text, the same for most copies; null if the text is too short. */
  print: number | null;
};

/** Signals that a host adds little, named as in signals.json; each from 0 to 1, except `linksPerWord`. */
type HostSignals = { copied: number; thin: number; linksPerWord: number; madeName: number };

/** The standing of a host: `authority` from the links of others, `damping` from its own pages; both from 0 to 1. */
export type HostStanding = {
  host: string;
  pages: number;
  authority: number;
  damping: number;
  signals: HostSignals;
};

/** One ranking of all hosts; `dropped`: counts of what exceeded its bounds. */
export type HostRanking = {
  /** Milliseconds since the epoch. */
  rankedAt: number;
  pages: number;
  hosts: number;
  links: number;
  damped: number;
  dropped: { hosts: number; links: number; copies: number };
};

/** Some standings of a new ranking to store in the index; the last part carries the ranking. */
export type StandingsPart = { rankedAt: number; standings: HostStanding[]; ranking: HostRanking | null };

/** Outlines of the next pages, and the address of the last one; null if there are no more. */
export type OutlinesStep = { outlines: PageOutline[]; last: string | null };

/** `onlyDamped`: damped hosts only, the most damped first; otherwise those with the most authority first. */
export type StandingsQuery = { onlyDamped: boolean; limit: number };
