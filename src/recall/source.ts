/**
 * Sources: the declaration of an upstream search API as data and two pure functions that write the request and read the response.
 * A source never does I/O itself; `upstream/` calls it within its bounds.
 */
import type { Tenant } from '../platform/fairness/fair-queue.ts';
import type { Filters } from '../text/query/filters.ts';
import type { QueryTraits } from '../text/query/query-traits.ts';
import type { Query } from '../text/query/read-query.ts';

/** Who a search is for, and the ids of the servers that it has passed. */
export type SearchOrigin = { tenant?: Tenant; via?: readonly string[] | undefined };

/** A kind of page that some sources can search for separately. */
export type SearchTopic = 'news' | 'science';
export type FileType = 'pdf';

/** A query to an upstream source. Filters are passed on if the source can filter, and always enforced again afterwards. */
export type SourceQuery = Filters & {
  /** The query, already condensed to the source's limits. */
  query: Query;
  /** Maximum results. */
  limit: number;
  /** The kind of page to search for, if the source supports kinds. */
  topic?: SearchTopic | undefined;
  fileType?: FileType | undefined;
  /** Page of results, `limit` results each; 0 or absent: the first page. */
  page?: number;
  /** Whether the caller allows what is read to be kept for others; default true. */
  keep?: boolean | undefined;
  /** The ids of the servers that the search has passed; absent: none. */
  via?: readonly string[] | undefined;
};

/** One result, in the source's order. Text is plain: no markup, no entities; title and snippet have named bounds. */
export type SourceItem = {
  url: string;
  title: string;
  snippet: string;
  /** YYYY-MM-DD from the source, or null. Never the day of the last edit. */
  publishedDay: string | null;
};

/** A source's answer, classified by what it means for the next call. */
export type SourceAnswer =
  /** `proven` is false for an empty list that may hide an outage. */
  | {
      kind: 'ok';
      items: SourceItem[];
      proven: boolean;
      quotaLeft: number | null;
      /** Pause that the source requests, although it answered. */
      pauseMs?: number;
    }
  | { kind: 'throttled'; retryAfterMs: number | null }
  /** The key is missing, wrong or used up: retrying does not help. */
  | { kind: 'refused'; why: string }
  /** A bot check instead of an answer. */
  | { kind: 'blocked'; why: string }
  | { kind: 'failed'; why: string };

/** The operator's settings for a source. */
export type SourceSettings = {
  baseUrl: string;
  key: string | null;
  userAgent: string;
  contact: string | null;
};

export type SourceRequest = {
  url: string;
  /** Lower-case names. They may contain keys, so no redirect may carry them elsewhere. */
  headers: Record<string, string>;
  /** The authorization header, for sources that take their key there; the guarded fetch handles it separately from the others. */
  authorization?: string;
};
export type SourceResponse = { status: number; headers: Record<string, string>; body: string };

export type SourceRate = { calls: number; perMs: number; atOnce: number };

/** An upstream source, declared by data and pure functions. */
export type SourceSpec = {
  /** The name in `RECALL` and in `service.sources`, such as `wikipedia`. */
  name: string;
  /** One line for operators: what it finds. */
  about: string;
  /** The whole web, or one field. */
  scope: 'web' | 'field';
  /** The hosts (with their subdomains) of all its results; null if results may come from anywhere. */
  hosts: readonly string[] | null;
  /** The address of its terms, and a summary in a few words; null: the operator's own server. */
  terms: { url: string; note: string } | null;
  /** True if the source starts only when `ACCEPT_PROVIDER_TERMS` names it. */
  needsConsent: boolean;
  /** The setting of its key, and whether the key is required; null: it has no keys. */
  key: { setting: string; required: boolean } | null;
  /** The setting of its base address; `standard` is null if the operator must provide one. */
  base: { setting: string; standard: string | null };
  /** Our own limit, below the published one: calls per period, and concurrent calls. */
  rate: SourceRate;
  /** The limit with an optional key, if the key raises it; see `chooseRate`. */
  keyedRate?: SourceRate;
  queryMax: { chars: number; words: number | null };
  /** Weight of its first place, above 0 and at most 1; absent: 1. */
  weight?: number;
  /** Scores how well the query fits its field, from 0 (not asked) to 1; a source of the whole web always returns 1. */
  fit(traits: QueryTraits): number;
  /** Whether it is asked for a call; absent: for every call. */
  mayAsk?(origin: SearchOrigin): boolean;
  request(query: SourceQuery, settings: SourceSettings): SourceRequest;
  /** Never throws: any response becomes an answer, at worst `failed`. */
  read(response: SourceResponse): SourceAnswer;
  /** True if its terms allow answers to be cached. */
  mayBeCached: boolean;
};
