/** Every number that the API promises. They are constants, not settings: callers can rely on them on every deployment. */
export const QUERY_CHARS_MAX = 2_000;
export const RESULTS_DEFAULT = 10;
export const RESULTS_MAX = 25;
/** Number of weak results shown to agents and on the command line when no number of results is requested. */
export const WEAK_RESULTS_SHOWN = 3;
/** Default `max_results` of the second shape. */
export const SHAPE_B_RESULTS_DEFAULT = 5;
export const CONTENTS_URLS_MAX = 10;
export const EXTRACT_URLS_MAX = 20;
/** Maximum `timeout` of an extraction in the second shape. */
export const EXTRACT_SECONDS_MAX = 60;
export const DOMAIN_FILTERS_MAX = 100;
/** Maximum subpages per page, per call, and per call without a key. */
export const SUBPAGES = { perPageMax: 5, max: 25, keylessMax: 10 } as const;
/** Maximum links, and maximum images, of one page. */
export const PAGE_LINKS_MAX = 100;
/** Default length of the text that joins the contents of all results. */
export const CONTEXT_CHARS_DEFAULT = 10_000;
/** Maximum additional queries of one search. */
export const ADDITIONAL_QUERIES_MAX = 5;
/** Maximum number and length of the texts that pages must or must not contain. */
export const TEXT_FILTERS = { max: 5, charsMax: 200 } as const;
export const REQUEST_BYTES_MAX = 1_048_576;
/** Maximum bytes of the texts of one record of research, and of its file, which another server reads as the body of a request. */
export const RECORD_BYTES_MAX = { texts: 25_165_824, file: 33_554_432 } as const;
/** Maximum bytes of a body that is a file. */
export const UPLOAD_BYTES_MAX = 16_777_216;
/** Maximum length of an `Idempotency-Key`, which is valid for a day. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
export const URL_CHARS_MAX = 8_192;
/** Maximum nesting depth, and maximum number of names plus values, of a JSON request body. */
export const JSON_DEPTH_MAX = 64;
export const JSON_VALUES_MAX = 2_000;
/** Maximum quotations per verify call, and maximum length of each. */
export const QUOTES_MAX = 20;
export const QUOTE_CHARS_MAX = 5_000;

/** Keyless requests per address (a /64 of IPv6) and UTC day, unless the operator sets another number. */
export const KEYLESS_REQUESTS_PER_DAY = 25;

/** Bounds of one site crawl or site map; keyless callers get fewer pages. */
export const SITE = {
  pages: { default: 50, crawlMax: 5_000, mapMax: 10_000, keylessMax: 10 },
  /** Maximum link distance from the start page, and maximum new links followed per page. */
  depth: { default: 1, max: 5 },
  breadth: { default: 20, max: 500 },
  passages: { default: 3 },
  /** Maximum regular expressions in one list, and maximum length of each. */
  patterns: { max: 20, charsMax: 200 },
  /** The default and maximum time that a client waits. */
  secondsMax: 150,
} as const;

/** Bounds of asynchronous jobs: crawls and batches. */
export const JOBS = {
  /** Maximum pages of one job (also the default of a crawl), and maximum running jobs of one caller. */
  keyed: { pagesMax: 10_000, runningMax: 20 },
  keyless: { pagesMax: SITE.pages.keylessMax, runningMax: 2 },
  batchUrlsMax: 1_000,
  perHostMax: 4,
  delaySecondsMax: 60,
  /** Maximum documents in one slice of the results. */
  documentsMax: 100,
} as const;

/** Bounds of one research call; keyless callers get fewer searches. */
export const RESEARCH = {
  searches: { default: 5, max: 10, keylessMax: 3 },
  pages: { default: 15, max: 30 },
  seconds: { default: 30, max: 60 },
  tokens: { default: 4_000, max: 20_000 },
} as const;

/** Bounds of one rerank call, and how many documents a credit covers. */
export const RERANK = { documentsMax: 1_000, documentsPerCredit: 100 } as const;

export const PAGE_BYTES_MAX = 5_242_880;
export const PAGE_TIMEOUT_MS = 15_000;
/** CPU time for turning one page's bytes into an article, and for chunking it. */
export const PAGE_CPU_MS = 2_000;
/** CPU time for a document (PDF, office files, books, messages); one with 300 pages takes half of it. */
export const DOCUMENT_CPU_MS = 4_000;
export const PAGE_REDIRECTS_MAX = 5;

export const HIGHLIGHT_CHARS_MIN = 400;
export const HIGHLIGHT_CHARS_MAX = 700;
/** Highlights per page: the default and the maximum. */
export const HIGHLIGHTS_DEFAULT = 3;
export const HIGHLIGHTS_MAX = 20;

export const USD_PER_CREDIT = 0.001;
export const CHARS_PER_TOKEN = 4;

/** Milliseconds that a call may take once it has its turn, by kind of call. */
export const ROUTE_MS = {
  search: 8_000,
  /** The fetch, plus 5 s to extract and chunk the page. */
  page: PAGE_TIMEOUT_MS + 5_000,
  /** A page, then a search that fetches its results' pages. */
  similar: PAGE_TIMEOUT_MS + 13_000,
  /** Less than the 10 s that clients wait, with a model too. */
  rerank: 8_000,
  research: RESEARCH.seconds.max * 1_000 + 5_000,
  site: SITE.secondsMax * 1_000 + 10_000,
  ledger: 15_000,
  /** The status of a job with a slice of its results. */
  job: 15_000,
  payment: 20_000,
  /** Responses that need no work of their own. On a machine busy with other programs they may still take seconds. */
  prompt: 15_000,
  forget: 20_000,
} as const;

/** Maximum priced calls running at once; a lone caller gets half of them, and its other calls wait. */
export const CALLS_AT_ONCE_MAX = 128;
/** Maximum waiting priced calls; beyond this, the caller with the most waiting calls is refused. */
export const CALLS_WAITING_MAX = 800;
/** Longest wait for a turn; the route's own time limit starts after it. */
export const CALL_WAIT_MS_MAX = 30_000;

/** Maximum requests in flight; further ones are refused at once. Exceeds the number of priced calls that can run and wait. */
export const IN_FLIGHT_MAX = 1_800;
/** Maximum bytes of request bodies and unsent responses over all connections; one caller may hold no more than remain free. */
export const IN_FLIGHT_BYTES_MAX = 268_435_456;
/** Maximum bytes of bodies still arriving; beyond this only small bodies are accepted, so that slow senders do not block others. */
export const ARRIVING_BYTES_MAX = 134_217_728;
export const SMALL_BODY_BYTES = 65_536;

/** Maximum connections, however many file descriptors there are. */
export const CONNECTIONS_MAX = 2_000;
/** Maximum pending requests per connection; one more closes it. */
export const UNANSWERED_MAX = 8;
/** Time limit for a client to read a response; time in proportion to its size is added. */
export const ANSWER_GRACE_MS = 20_000;
export const ANSWER_BYTES_PER_SECOND_MIN = 131_072;

/** Maximum names of libraries in one search, and the longest name of a package that registries allow. */
export const LIBRARIES_MAX = 20;
export const LIBRARY_NAME_CHARS_MAX = 214;
/** Tokens of the passages in one answer from the documentation of libraries. */
export const DOCS_TOKENS_DEFAULT = 3_000;
export const DOCS_TOKENS_MAX = 20_000;
export const DOCS_TOKENS_MIN = 300;

/** Tokens in one tool response; the rest is kept for `KEPT_MS` and read with a cursor. */
export const ANSWER_TOKENS_DEFAULT = 4_000;
export const ANSWER_TOKENS_MAX = 20_000;
export const ANSWER_TOKENS_MIN = 500;
export const KEPT_MS = 15 * 60_000;
/** Time that a finished research report of the second shape is kept for its caller. */
export const RESEARCH_KEPT_MS = 60 * 60_000;
/** Interval between progress reports of a tool call. */
export const PROGRESS_MS = 2_000;

/** Maximum payment pages that one address may open per hour. */
export const OPENINGS_PER_HOUR = 20;

/** Maximum wrong keys and proofs of payment that one address may try per hour on the account pages. */
export const ACCOUNT_TRIES_PER_HOUR = 10;

/** Default maximum size of the page cache. */
export const CACHE_BYTES_MAX = 1_073_741_824;
/** Maximum size of the kept versions of pages, unless the operator sets another. */
export const VERSIONS_BYTES_MAX = 1_073_741_824;

/** Bounds of monitors: how many a caller may have, how often each may look, and what is kept of it. */
export const MONITORS = {
  ownerMax: 200,
  allMax: 50_000,
  intervalMsMin: 300_000,
  intervalMsMax: 30 * 86_400_000,
  sitePages: { default: 20, max: 200 },
  results: { default: 10, max: 20 },
  conditionsMax: 10,
  channelsMax: 5,
  phraseCharsMax: 300,
  /** Events of one monitor that are kept, and for how long. */
  eventsMax: 200,
  eventsMs: 90 * 86_400_000,
} as const;

/** Bounds of sign-in profiles and collections. */
export const PRIVATE_SITES = {
  ownerMax: 50,
  originsMax: 10,
  nameCharsMax: 64,
  fieldsMax: 20,
  valueCharsMax: 8_192,
  cookiesCharsMax: 262_144,
  readersMax: 100,
  /** Collections of one search. */
  namesMax: 10,
  /** Pages and bytes of text of one collection. */
  pagesMax: 5_000,
  bytesMax: 209_715_200,
} as const;
