/** Every number that the interface promises. They are constants, not settings: a caller may rely on them anywhere. */
export const QUERY_CHARS_MAX = 2_000;
export const RESULTS_DEFAULT = 10;
export const RESULTS_MAX = 25;
/** `max_results` of the second shape. */
export const SHAPE_B_RESULTS_DEFAULT = 5;
export const CONTENTS_URLS_MAX = 10;
export const EXTRACT_URLS_MAX = 20;
/** `timeout` of an extraction in the second shape. */
export const EXTRACT_SECONDS_MAX = 60;
export const DOMAIN_FILTERS_MAX = 100;
export const REQUEST_BYTES_MAX = 1_048_576;
export const URL_CHARS_MAX = 8_192;
/** Levels of nesting, and names and values, in the JSON of a request body. */
export const JSON_DEPTH_MAX = 64;
export const JSON_VALUES_MAX = 2_000;
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
/** Highlights of one page: how many without `highlightsPerUrl`, and how many at most. */
export const HIGHLIGHTS_DEFAULT = 3;
export const HIGHLIGHTS_MAX = 20;

export const USD_PER_CREDIT = 0.001;
export const CHARS_PER_TOKEN = 4;

/** Milliseconds that a call may take, by what it does, once it has its turn. */
export const ROUTE_MS = {
  search: 8_000,
  /** The fetch, and 5 s to extract the page and cut it. */
  page: PAGE_TIMEOUT_MS + 5_000,
  /** A page, then a search with the pages of its results. */
  similar: PAGE_TIMEOUT_MS + 13_000,
  research: RESEARCH.seconds.max * 1_000 + 5_000,
  site: SITE.secondsMax * 1_000 + 10_000,
  ledger: 5_000,
  payment: 20_000,
  prompt: 1_000,
} as const;

/** Priced calls under way: a lone caller may have half of them, and its further calls wait. */
export const CALLS_AT_ONCE_MAX = 128;
/** Priced calls that wait; beyond it the caller with the most is refused. */
export const CALLS_WAITING_MAX = 800;
/** Longest wait of a call for its turn; the time of its route counts from then on. */
export const CALL_WAIT_MS_MAX = 30_000;

/** Requests under way beyond which further ones are refused at once: more than the priced calls that run and wait. */
export const IN_FLIGHT_MAX = 1_800;
/** Bytes of request bodies and of answers on their way, over all connections; a caller may hold as many as stay free. */
export const IN_FLIGHT_BYTES_MAX = 268_435_456;
/** Bytes of bodies that are still arriving: beyond it only small ones are read on, so that slow senders stop nobody else. */
export const ARRIVING_BYTES_MAX = 134_217_728;
export const SMALL_BODY_BYTES = 65_536;

/** Connections at most, however many file descriptors there are. */
export const CONNECTIONS_MAX = 2_000;
/** Unanswered requests of one connection; one more closes it. */
export const UNANSWERED_MAX = 8;
/** A client has this long to read an answer, and longer in proportion to its size. */
export const ANSWER_GRACE_MS = 20_000;
export const ANSWER_BYTES_PER_SECOND_MIN = 131_072;

/** Tokens of one answer of a tool; the rest is kept for a while and read with its cursor. */
export const ANSWER_TOKENS_DEFAULT = 4_000;
export const ANSWER_TOKENS_MAX = 20_000;
export const ANSWER_TOKENS_MIN = 500;
export const KEPT_MS = 15 * 60_000;
/** Progress of a tool call is reported this often. */
export const PROGRESS_MS = 2_000;

/** Payment pages that one address may open in an hour. */
export const OPENINGS_PER_HOUR = 20;
