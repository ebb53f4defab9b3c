/** A field that clients of another service send: its name (dots lead inwards), a value, and what there is to know about it here. */
type FieldOfOthers = [name: string, sample: unknown, note?: string];

type CallOfOthers = {
  method: 'GET' | 'POST';
  path: string;
  /** What every request has: a body, or the parameters of a GET. */
  base: Record<string, unknown>;
  fields: FieldOfOthers[];
  /** The fields are headers. */
  inHeaders?: true;
};

/** What moves over from another service, and what is there no longer. */
export type OtherService = {
  name: string;
  /** Where its clients are pointed to. */
  address: string;
  differs: string[];
  calls: CallOfOthers[];
  /** Operations that are not here: each with a request that is refused. */
  absent: [what: string, method: 'GET' | 'POST', path: string][];
};

const PAGE = 'https://example.org/';
const SCHEMA = { type: 'object', properties: {} };
const EITHER_MODEL = 'no generative model runs';
const WITH_BROWSER = 'where the operator runs a browser (`RENDER_URL`)';
const NO_ACTIONS = 'pages are only read';
const CRAWL_DATES = 'filter by `startPublishedDate` and `endPublishedDate`';

const EXA: OtherService = {
  name: 'Exa',
  address: '{base_url}',
  differs: [
    '`new Exa(key, "{base_url}")` in JavaScript, `Exa(key, base_url="{base_url}")` and `AsyncExa(key, api_base="{base_url}")` in Python. All of `/v1`, `/shapeA` and the bare paths answer.',
    'At most 25 results for each search and 10 addresses for each call of contents. Without `contents` the results carry no text.',
    'A call costs one credit, whatever its contents; `costDollars.total` says so. Out of credits the answer is 402 with a link in the message. <!-- metered -->',
    '`text` is Markdown. `highlights` are passages of 400 to 700 characters, with a proof each: offsets and a link to the passage.',
    'Every `type` runs the same search. Answers and summaries are quotations.',
  ],
  calls: [
    {
      ...{ method: 'POST', path: '/search', base: { query: 'q' } },
      fields: [
        ['type', 'neural', 'every type runs the same search'],
        ['numResults', 5, 'at most 25'],
        ['additionalQueries', ['a']],
        ['category', 'pdf', 'as a choice of sources and a filter'],
        ['userLocation', 'US'],
        ['includeDomains', ['example.org'], 'at most 100'],
        ['excludeDomains', ['example.com'], 'at most 100'],
        ['startPublishedDate', '2026-01-01'],
        ['endPublishedDate', '2026-12-31'],
        ['startCrawlDate', '2026-01-01', CRAWL_DATES],
        ['endCrawlDate', '2026-12-31', CRAWL_DATES],
        ['includeText', ['a'], 'in the text of the page'],
        ['excludeText', ['b'], 'in the text of the page'],
        ['moderation', true],
        ['useAutoprompt', true],
        ['outputSchema', SCHEMA, EITHER_MODEL],
        ['systemPrompt', 'x', EITHER_MODEL],
        ['stream', true, 'only `/answer` streams'],
        ['contents.text', { maxCharacters: 100 }],
        ['contents.text.includeHtmlTags', true, 'text is Markdown'],
        ['contents.text.verbosity', 'full', 'text is the main content'],
        ['contents.highlights', { query: 'a', highlightsPerUrl: 2 }],
        ['contents.highlights.numSentences', 2, 'passages of 400 to 700 characters'],
        ['contents.summary', { query: 'a' }, 'a quotation'],
        ['contents.summary.schema', SCHEMA, EITHER_MODEL],
        ['contents.livecrawl', 'always'],
        ['contents.maxAgeHours', 24],
        ['contents.subpages', 1],
        ['contents.subpageTarget', ['about']],
        ['contents.extras.links', 1],
        ['contents.extras.imageLinks', 1],
        ['contents.context', true],
      ],
    },
    {
      ...{ method: 'POST', path: '/contents', base: { urls: [PAGE] } },
      fields: [
        ['text', { maxCharacters: 100 }],
        ['highlights', { query: 'a' }],
        ['summary', { query: 'a' }, 'a quotation'],
        ['livecrawl', 'always'],
        ['livecrawlTimeout', 5_000],
        ['maxAgeHours', 24],
        ['subpages', 1],
        ['subpageTarget', ['about']],
        ['extras.links', 1],
        ['extras.imageLinks', 1],
        ['context', true],
        ['filterEmptyResults', true, 'a page without text is an error in `statuses`'],
      ],
    },
    {
      ...{ method: 'POST', path: '/findSimilar', base: { url: PAGE } },
      fields: [
        ['numResults', 5, 'at most 25'],
        ['excludeSourceDomain', true, 'always so'],
        ['includeDomains', ['example.org']],
        ['excludeDomains', ['example.com']],
        ['startPublishedDate', '2026-01-01'],
        ['endPublishedDate', '2026-12-31'],
        ['category', 'pdf'],
        ['contents', { text: true }],
      ],
    },
    {
      ...{ method: 'POST', path: '/answer', base: { query: 'q' } },
      fields: [
        ['text', true],
        ['stream', false, '`true` sends the quotation as events'],
        ['model', 'exa', EITHER_MODEL],
        ['systemPrompt', 'x', EITHER_MODEL],
        ['outputSchema', SCHEMA, EITHER_MODEL],
      ],
    },
  ],
  absent: [
    ['Websets', 'GET', '/websets/v0/websets'],
    ['Research tasks: use `POST /v1/research`, which answers at once', 'POST', '/research/v1'],
  ],
};

const TAVILY: OtherService = {
  name: 'Tavily',
  address: '{base_url}/shapeB',
  differs: [
    '`TavilyClient(key, api_base_url="{base_url}/shapeB")` in Python, `tavily({ apiKey, apiBaseURL: "{base_url}/shapeB" })` in JavaScript; `TAVILY_API_BASE` for LiteLLM.',
    'Both depths of search cost one credit and give the same. Extract costs one credit for each page that loads, crawl one for each page, map one. <!-- metered -->',
    '`answer` is a quotation from the most relevant page, or null. `content` is a passage of the page.',
    'Filters of domains are enforced on every result. At most 25 results, 20 addresses for each extract.',
    'Out of credits the answer is 432 with a link in `detail.error`. <!-- metered -->',
  ],
  calls: [
    {
      ...{ method: 'POST', path: '/shapeB/search', base: { query: 'q' } },
      fields: [
        ['search_depth', 'advanced', 'both are the same'],
        ['topic', 'news'],
        ['time_range', 'week'],
        ['start_date', '2026-01-01'],
        ['end_date', '2026-12-31'],
        ['days', 3],
        ['max_results', 5, 'at most 25'],
        ['chunks_per_source', 2],
        ['include_domains', ['example.org']],
        ['exclude_domains', ['example.com']],
        ['include_answer', true, 'a quotation'],
        ['include_raw_content', true],
        ['include_images', true],
        ['include_image_descriptions', true],
        ['include_favicon', true],
        ['include_usage', true],
        ['country', 'norway'],
        ['exact_match', true],
        ['auto_parameters', true],
        ['safe_search', true],
      ],
    },
    {
      ...{ method: 'POST', path: '/shapeB/extract', base: { urls: [PAGE] } },
      fields: [
        ['extract_depth', 'advanced', 'both are the same'],
        ['format', 'text'],
        ['query', 'a'],
        ['chunks_per_source', 2],
        ['include_images', true],
        ['include_favicon', true],
        ['include_usage', true],
        ['timeout', 10],
      ],
    },
    {
      ...{ method: 'POST', path: '/shapeB/crawl', base: { url: PAGE } },
      fields: [
        ['instructions', 'a', 'words to look for, not a prompt'],
        ['max_depth', 2],
        ['max_breadth', 5],
        ['limit', 5],
        ['select_paths', ['/a']],
        ['exclude_paths', ['/b']],
        ['select_domains', ['^example']],
        ['exclude_domains', ['^other']],
        ['allow_external', false],
        ['include_images', true],
        ['extract_depth', 'advanced', 'both are the same'],
        ['format', 'text'],
        ['include_favicon', true],
        ['include_usage', true],
        ['chunks_per_source', 2],
        ['timeout', 20],
        ['categories', ['Blog']],
      ],
    },
  ],
  absent: [['Feedback', 'POST', '/shapeB/feedback']],
};

const JINA: OtherService = {
  name: 'Jina',
  address: '{base_url}/r, {base_url}/s, {base_url}/v1/rerank',
  differs: [
    'Put `{base_url}/r/` where `https://r.jina.ai/` stood, `{base_url}/s/` for `https://s.jina.ai/`, and `{base_url}/v1/rerank` for the reranker.',
    'A call of the reader or of search costs one credit, not tokens; the reranker one for each 100 documents begun. <!-- metered -->',
    'The answer is the main content as Markdown; `?q=` reduces it to a question. JSON comes with `Accept: application/json`.',
    'A page that shows nothing until its scripts run is read with a browser where the operator runs one, and is an error otherwise.',
  ],
  calls: [
    {
      ...{ method: 'GET', path: `/r/${PAGE}`, base: {}, inHeaders: true },
      fields: [
        ['X-Return-Format', 'html', `markdown, html or text; screenshot and pageshot ${WITH_BROWSER}`],
        ['X-Target-Selector', 'main'],
        ['X-Remove-Selector', 'nav'],
        ['X-Wait-For-Selector', 'main', WITH_BROWSER],
        ['X-With-Links-Summary', 'true'],
        ['X-With-Images-Summary', 'true'],
        ['X-With-Generated-Alt', 'true', EITHER_MODEL],
        ['X-No-Cache', 'true'],
        ['X-Cache-Tolerance', '60'],
        ['X-Timeout', '10', 'at most 15 seconds'],
        ['X-Token-Budget', '100000'],
        ['X-Locale', 'de-DE'],
        ['X-Engine', 'browser', WITH_BROWSER],
        ['X-Proxy-Url', 'http://example.org/'],
        ['X-Set-Cookie', 'a=b'],
        ['X-Md-Heading-Style', 'setext'],
        ['X-Md-Hr', '***'],
        ['X-Md-Bullet-List-Marker', '*'],
        ['X-Md-Em-Delimiter', '_'],
        ['X-Md-Strong-Delimiter', '__'],
        ['X-Md-Link-Style', 'referenced'],
        ['X-Retain-Links', 'text'],
        ['X-Retain-Images', 'none'],
      ],
    },
    {
      ...{ method: 'POST', path: '/v1/rerank', base: { query: 'q', documents: ['a', 'b'] } },
      fields: [
        ['model', 'jina-reranker-v2', 'the built-in scorer, or the model of the operator'],
        ['top_n', 1],
        ['return_documents', false],
        ['truncation', true, 'texts of any length are scored'],
      ],
    },
  ],
  absent: [
    ['Embeddings', 'POST', '/v1/embeddings'],
    ['Classifier', 'POST', '/v1/classify'],
    ['Segmenter', 'POST', '/v1/segment'],
  ],
};

const FIRECRAWL: OtherService = {
  name: 'Firecrawl',
  address: '{base_url}',
  differs: [
    '`new Firecrawl({ apiKey, apiUrl: "{base_url}" })` in JavaScript, `Firecrawl(api_key=key, api_url="{base_url}")` in Python; `FIRECRAWL_API_URL` elsewhere. Version 1 answers under `{base_url}/firecrawl` only.',
    'A page costs one credit, a search one, a map one. What fails is free. <!-- metered -->',
    'Waiting and screenshots (as `data:` addresses) work where the operator runs a browser; actions do not. A bot check is an error, never an empty document.',
    '`json` works by CSS selectors in the schema, `summary` is a quotation: no generative model runs.',
    'Out of credits the answer is 402 with a link in `error`. <!-- metered -->',
  ],
  calls: [
    {
      ...{ method: 'POST', path: '/v2/scrape', base: { url: PAGE } },
      fields: [
        ['formats', ['markdown', 'html', 'rawHtml', 'links', 'images']],
        ['onlyMainContent', true],
        ['includeTags', ['main']],
        ['excludeTags', ['nav']],
        ['headers', { 'X-A': 'b' }, 'the page is then private to the caller'],
        ['waitFor', 100, `${WITH_BROWSER}; at most 10 s`],
        ['actions', [{ type: 'wait', milliseconds: 1 }], NO_ACTIONS],
        ['timeout', 5_000, 'at most 15 s'],
        ['mobile', true],
        ['maxAge', 1_000],
        ['location', { languages: ['de'] }, 'its languages; the country has no effect'],
        ['parsers', ['pdf']],
        ['skipTlsVerification', true],
        ['storeInCache', true],
        ['zeroDataRetention', true, 'send `store: false`'],
      ],
    },
    {
      ...{ method: 'POST', path: '/v2/search', base: { query: 'q' } },
      fields: [
        ['limit', 5],
        ['sources', ['web'], 'images are not offered'],
        ['categories', ['github']],
        ['tbs', 'qdr:w'],
        ['location', 'Germany'],
        ['scrapeOptions', { formats: ['markdown'] }],
        ['ignoreInvalidURLs', true],
      ],
    },
    {
      ...{ method: 'POST', path: '/v2/map', base: { url: PAGE } },
      fields: [
        ['search', 'docs'],
        ['sitemap', 'include'],
        ['includeSubdomains', true],
        ['ignoreQueryParameters', true],
        ['limit', 10],
        ['timeout', 5_000],
        ['location', { country: 'DE' }],
      ],
    },
    {
      ...{ method: 'POST', path: '/v2/crawl', base: { url: PAGE } },
      fields: [
        ['limit', 10, 'at most, and by default, 10,000; 10 without a key'],
        ['includePaths', ['^/docs/'], 'in RE2 syntax'],
        ['excludePaths', ['^/blog/'], 'in RE2 syntax'],
        ['regexOnFullURL', true],
        ['maxDiscoveryDepth', 2],
        ['sitemap', 'skip'],
        ['ignoreQueryParameters', true],
        ['deduplicateSimilarURLs', true],
        ['crawlEntireDomain', true],
        ['allowExternalLinks', true, 'their own links are not followed'],
        ['allowSubdomains', true],
        ['delay', 1],
        ['maxConcurrency', 2, 'per host, at most 4'],
        ['scrapeOptions', { formats: ['links'] }],
        ['webhook', 'https://example.org/hook', 'signed with the `webhookSecret` of the answer'],
        ['zeroDataRetention', true, 'the results stay for a day, for their caller alone'],
        ['prompt', 'only the manual', 'there is no model'],
        ['ignoreRobotsTxt', true, 'robots.txt is always obeyed'],
        ['robotsUserAgent', 'other'],
      ],
    },
    {
      ...{ method: 'POST', path: '/v2/batch/scrape', base: { urls: [PAGE] } },
      fields: [
        ['formats', ['markdown'], 'and the other fields of `/v2/scrape`'],
        ['ignoreInvalidURLs', true],
        ['maxConcurrency', 2, 'per host, at most 4'],
        ['webhook', 'https://example.org/hook', 'signed with the `webhookSecret` of the answer'],
        ['zeroDataRetention', true, 'the results stay for a day, for their caller alone'],
        ['appendToId', 'an id', 'start another batch'],
      ],
    },
  ],
  absent: [
    ['Agent', 'POST', '/v2/agent'],
    ['Extract by a model', 'POST', '/v2/extract'],
    ['Browser sessions', 'POST', '/v2/browser'],
  ],
};

const SEARXNG: OtherService = {
  name: 'SearXNG',
  address: '{base_url}/searxng',
  differs: [
    'JSON is on: `/searxng/search?q=…&format=json`, and so are CSV and RSS. A `format` decides, never `Accept`.',
    'Clients of a SearXNG send no key: put it into the path, `{base_url}/searxng/<key>`, or set `UNMETERED_NETWORKS`.',
    'The results come from the sources of this server; `unresponsive_engines` names those that failed.',
    'Its pages can be read in the same place: `{base_url}/r/{url}`.',
  ],
  calls: [
    {
      ...{ method: 'GET', path: '/searxng/search', base: { q: 'waders', format: 'json' } },
      fields: [
        ['pageno', '2', 'up to five pages of ten'],
        ['time_range', 'week'],
        ['language', 'de', 'the query decides'],
        ['safesearch', '2'],
        ['categories', 'news'],
        ['engines', 'google'],
        ['image_proxy', '1'],
      ],
    },
  ],
  absent: [['Autocompletion', 'GET', '/searxng/autocompleter']],
};

/** The services that people come from. */
export const OTHER_SERVICES: OtherService[] = [EXA, TAVILY, JINA, FIRECRAWL, SEARXNG];
