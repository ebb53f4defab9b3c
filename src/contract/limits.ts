/** Every number that the interface promises. They are constants, not settings: a caller may rely on them anywhere. */
export const QUERY_CHARS_MAX = 2_000;
export const RESULTS_DEFAULT = 10;
export const RESULTS_MAX = 25;
export const CONTENTS_URLS_MAX = 10;
export const EXTRACT_URLS_MAX = 20;
export const DOMAIN_FILTERS_MAX = 100;
export const REQUEST_BYTES_MAX = 1_048_576;
export const URL_CHARS_MAX = 8_192;
/** Quotations that one call verifies, and the length of each. */
export const QUOTES_MAX = 20;
export const QUOTE_CHARS_MAX = 5_000;

/** Requests without a key from one address (a /64 of IPv6) on one UTC day. */
export const KEYLESS_REQUESTS_PER_DAY = 25;

/** Bounds of one crawl or map of a site; keyless callers get fewer pages. */
export const SITE = {
  pages: { default: 50, crawlMax: 5_000, mapMax: 10_000, keylessMax: 10 },
  /** Links from the start page, and new links followed from one page. */
  depth: { default: 1, max: 5 },
  breadth: { default: 20, max: 500 },
  passages: { default: 3 },
  /** Regular expressions in one list, and the length of each. */
  patterns: { max: 20, charsMax: 200 },
  /** What a client waits by default and at most. */
  secondsMax: 150,
} as const;

/** Bounds of one deep research; keyless callers have fewer searches. */
export const RESEARCH = {
  searches: { default: 5, max: 10, keylessMax: 3 },
  pages: { default: 15, max: 30 },
  seconds: { default: 30, max: 60 },
  tokens: { default: 4_000, max: 20_000 },
} as const;

export const PAGE_BYTES_MAX = 5_242_880;
export const PAGE_TIMEOUT_MS = 15_000;
/** CPU time for turning the bytes of one page into its article, and for cutting it. */
export const PAGE_CPU_MS = 2_000;
export const PAGE_REDIRECTS_MAX = 5;

export const HIGHLIGHT_CHARS_MIN = 400;
export const HIGHLIGHT_CHARS_MAX = 700;

export const USD_PER_CREDIT = 0.001;
export const CHARS_PER_TOKEN = 4;
