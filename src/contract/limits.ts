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
