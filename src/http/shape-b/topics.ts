import * as z from 'zod';
import type { SearchRequest } from '../../search/search-types.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { findCountryDomains } from './country.ts';

/** Sites of news agencies, broadcasters and newspapers. */
const NEWS = [
  ...[
    'reuters.com',
    'apnews.com',
    'afp.com',
    'bbc.com',
    'bbc.co.uk',
    'theguardian.com',
    'npr.org',
    'cnn.com',
  ],
  ...['nytimes.com', 'washingtonpost.com', 'wsj.com', 'ft.com', 'economist.com', 'bloomberg.com', 'cnbc.com'],
  ...['aljazeera.com', 'dw.com', 'france24.com', 'euronews.com', 'politico.com', 'politico.eu', 'axios.com'],
  ...['abcnews.go.com', 'cbsnews.com', 'nbcnews.com', 'news.sky.com', 'abc.net.au', 'cbc.ca', 'time.com'],
  ...['lemonde.fr', 'spiegel.de', 'tagesschau.de', 'zeit.de', 'elpais.com', 'corriere.it', 'nhk.or.jp'],
  ...[
    'scmp.com',
    'straitstimes.com',
    'thehindu.com',
    'indianexpress.com',
    'news.yahoo.com',
    'techcrunch.com',
  ],
];

/** Sites about markets and companies, and company registers. */
const FINANCE = [
  ...['sec.gov', 'federalreserve.gov', 'ecb.europa.eu', 'bankofengland.co.uk', 'imf.org', 'worldbank.org'],
  ...['bis.org', 'nasdaq.com', 'nyse.com', 'londonstockexchange.com', 'finance.yahoo.com', 'marketwatch.com'],
  ...['bloomberg.com', 'reuters.com', 'ft.com', 'wsj.com', 'cnbc.com', 'barrons.com', 'morningstar.com'],
  ...[
    'investing.com',
    'investopedia.com',
    'fool.com',
    'seekingalpha.com',
    'stockanalysis.com',
    'macrotrends.net',
  ],
  ...[
    'forbes.com',
    'businessinsider.com',
    'economist.com',
    'find-and-update.company-information.service.gov.uk',
  ],
];

const TOPICS = ['general', 'news', 'finance'] as const;
type Topic = (typeof TOPICS)[number];

/** Returns the topic of a request; null if it is unknown. */
export function parseTopic(given: unknown): Topic | null {
  return TOPICS.find((topic) => topic === given) ?? null;
}

/** `country` prefers pages of that country in general searches. */
export const countryField = z
  .unknown()
  .meta({
    description: 'Pages of this country rank higher, if the topic is general.',
    examples: ['norway', 'united states'],
  })
  .optional();

/** Builds the part of a search that topic and country decide: which sites rank higher, and which kind of page the sources search for. */
export function buildPreferences(
  topic: Topic | null,
  country: unknown,
): Pick<SearchRequest, 'topic' | 'preferredDomains'> {
  if (topic === 'news') return { topic: 'news', preferredDomains: NEWS };
  if (topic === 'finance') return { preferredDomains: FINANCE };
  const domains = findCountryDomains(country);
  return domains === null ? {} : { preferredDomains: domains };
}

const FINANCE_WORDS =
  /\b(?:stocks?|shares?|dividends?|earnings|bonds?|etfs?|ipo|nasdaq|nyse|market cap|interest rates?|inflation|revenue|quarterly results|exchange rate|bitcoin|treasury|10-[kq])\b/i;
const NEWS_MIN = 0.5;
/** Minimum words of a query that gets an advanced search. */
const DEEP_WORDS = 8;

/** Chooses the values of `auto_parameters` for a query. */
export function chooseParameters(query: string): { topic: Topic; searchDepth: 'basic' | 'advanced' } {
  const { news } = readQuery(query).traits();
  const isDeep = query.trim().split(/\s+/).length >= DEEP_WORDS;
  return {
    topic: news >= NEWS_MIN ? 'news' : FINANCE_WORDS.test(query) ? 'finance' : 'general',
    searchDepth: isDeep ? 'advanced' : 'basic',
  };
}
