import type { Filters } from '../text/query/filters.ts';
import type { QueryTraits } from '../text/query/query-traits.ts';

/** What an upstream source is asked. Filters are handed on where the source can filter, and enforced again afterwards either way. */
export type SourceQuery = Filters & {
  /** Already condensed to the source's own limits. */
  query: string;
  /** Results wanted at most. */
  limit: number;
  /** Further results of the same query: 0 or absent is the first page, of `limit` results each. */
  page?: number;
};

/** One result, in the source's order. Text is plain: no markup, no entities; title and snippet have named bounds. */
export type SourceItem = {
  url: string;
  title: string;
  snippet: string;
  /** YYYY-MM-DD as the source tells it, or null. Never the day of the last edit. */
  publishedDay: string | null;
};

/** What a source said, told apart by what it means for the next call. */
export type SourceAnswer =
  /** `proven` is false for an empty list that may as well hide an outage. */
  | {
      kind: 'ok';
      items: SourceItem[];
      proven: boolean;
      quotaLeft: number | null;
      /** It answered, and asks to be left alone for so long. */
      pauseMs?: number;
    }
  | { kind: 'throttled'; retryAfterMs: number | null }
  /** The key is missing, wrong or used up: asking again does not help. */
  | { kind: 'refused'; why: string }
  /** A bot check stands where the answer should be. */
  | { kind: 'blocked'; why: string }
  | { kind: 'failed'; why: string };

/** What the operator set for a source. */
export type SourceSettings = {
  baseUrl: string;
  key: string | null;
  userAgent: string;
  contact: string | null;
};

export type SourceRequest = {
  url: string;
  /** Lower-case names. Keys may be among them: no redirect may carry them elsewhere. */
  headers: Record<string, string>;
  /** For sources that take their key so; a guarded fetch takes it apart from the headers. */
  authorization?: string;
};
export type SourceResponse = { status: number; headers: Record<string, string>; body: string };

export type SourceRate = { calls: number; perMs: number; atOnce: number };

/** An upstream source, declared by data and two pure functions. */
export type SourceSpec = {
  /** As it stands in `RECALL` and in `service.sources`, such as `wikipedia`. */
  name: string;
  /** One line for operators: what it finds. */
  about: string;
  /** The whole web, or one field. */
  scope: 'web' | 'field';
  /** The hosts (with their subdomains) that all its results lie on; null where they may lie anywhere. */
  hosts: readonly string[] | null;
  /** Where its terms stand, and what they ask for in a few words. */
  terms: { url: string; note: string };
  /** Starts only when its name stands in `ACCEPT_PROVIDER_TERMS`. */
  needsConsent: boolean;
  /** The setting of its key, and whether it can do without; null: it knows no keys. */
  key: { setting: string; required: boolean } | null;
  /** The setting of its base address; `standard` is null where the operator must bring one. */
  base: { setting: string; standard: string | null };
  /** Our own bound, under the published one: so many calls a period, so many at once. */
  rate: SourceRate;
  /** The bound with a key, where a key that it can do without raises it; see `rateOf`. */
  keyedRate?: SourceRate;
  queryMax: { chars: number; words: number | null };
  /** How well the query lies in its field, from 0 (not asked) to 1; a source of the whole web always says 1. */
  fit(traits: QueryTraits): number;
  request(query: SourceQuery, settings: SourceSettings): SourceRequest;
  /** Never throws: whatever came is an answer, if only `failed`. */
  read(response: SourceResponse): SourceAnswer;
  /** Whether its terms let answers be kept for a while. */
  mayBeCached: boolean;
};
