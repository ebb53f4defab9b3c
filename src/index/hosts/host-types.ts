/** What ranking hosts reads of a page. */
export type PageOutline = {
  host: string;
  /** Visible characters. */
  chars: number;
  links: number;
  /** Hosts of other publishers that it links to, each once. */
  targets: string[];
  /** The same for most copies of a text; null: too short to tell. */
  print: number | null;
};

/** What tells a host that adds little, by the names in signals.json; each from 0 to 1, except `linksPerWord`. */
export type HostSignals = { copied: number; thin: number; linksPerWord: number; madeName: number };

/** How a host stands: `authority` by the links of others, `damping` by what its own pages are like; both from 0 to 1. */
export type HostStanding = {
  host: string;
  pages: number;
  authority: number;
  damping: number;
  signals: HostSignals;
};

/** One ranking of all hosts; `dropped`: what was beyond its bounds. */
export type HostRanking = {
  /** Milliseconds since the epoch. */
  rankedAt: number;
  pages: number;
  hosts: number;
  links: number;
  damped: number;
  dropped: { hosts: number; links: number; copies: number };
};

/** Some standings of a new ranking, on their way into the index; the last part names the ranking. */
export type StandingsPart = { rankedAt: number; standings: HostStanding[]; ranking: HostRanking | null };

/** Outlines of the next pages, and the address of the last one; null: there are none. */
export type OutlinesStep = { outlines: PageOutline[]; last: string | null };

/** `onlyDamped`: the most damped first; else those with the most authority. */
export type StandingsQuery = { onlyDamped: boolean; limit: number };
