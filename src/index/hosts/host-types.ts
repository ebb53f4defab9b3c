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
export type HostSignals = { copied: number; thin: number; linksPerWord: number; madeName: number };

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
