import type { Candidate } from '../page.ts';

export type DomainFilters = {
  /** Hosts (`example.com` covers its subdomains) or host and path prefix (`example.com/docs`); empty = all. */
  includeDomains: string[];
  excludeDomains: string[];
};

export type RecallQuery = DomainFilters & {
  query: string;
  /** Candidates wanted at most. */
  limit: number;
  /** YYYY-MM-DD, inclusive; a page without a date never passes a date filter. */
  publishedFrom: string | null;
  publishedTo: string | null;
  signal: AbortSignal;
};

/** A source of candidates: the own index, or an upstream search. Rejects when it is down. */
export type Recall = {
  name: string;
  find(query: RecallQuery): Promise<Candidate[]>;
  /** Changes whenever the source may answer differently than before; absent when it cannot tell. */
  version?(): Promise<string>;
};
