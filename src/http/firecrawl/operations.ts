import * as z from 'zod';
import type { Operation } from '../calls/operation.ts';
import { FirecrawlDocument } from './document-body.ts';
import { JOB_OPERATIONS } from './jobs/job-operations.ts';
import { MapAnswer, MapBody } from './map.ts';
import { ScrapeBody } from './scrape-fields.ts';
import { SearchAnswer } from './search.ts';
import { SearchBody } from './search-fields.ts';
import {
  ConcurrencyAnswer,
  CreditUsageAnswer,
  CreditUsageV1Answer,
  QueueStatusAnswer,
  TokenUsageAnswer,
  TokenUsageV1Answer,
} from './team.ts';

const SEARCH: Operation = {
  id: 'firecrawlSearch',
  tag: 'drop-in',
  summary: 'Search the web, as Firecrawl',
  about:
    'Results have a passage of their page; with `scrapeOptions` each page is read. `/firecrawl/v1/search` lists the results without groups.',
  price: '1 credit, and 1 for each page that is read.',
  body: SearchBody,
  answer: SearchAnswer,
  errors: ['validation_error', 'recall_unavailable'],
  example: { body: { query: 'how does write-ahead logging work', limit: 3 } },
};

const MAP: Operation = {
  id: 'firecrawlMap',
  tag: 'drop-in',
  summary: 'List the addresses of a site, as Firecrawl',
  about:
    'Reads sitemaps and pages until the limit or the timeout (15 s by default) is reached. `/firecrawl/v1/map` lists texts.',
  price: '1 credit.',
  body: MapBody,
  answer: MapAnswer,
  errors: ['url_not_allowed', 'validation_error', 'request_timeout', 'fetch_failed'],
  example: { body: { url: 'https://example.org/', limit: 10 } },
};

/** The operations of Firecrawl's shape. */
export const FIRECRAWL_OPERATIONS: Record<string, Operation> = {
  'POST /v2/scrape': {
    id: 'firecrawlScrape',
    tag: 'drop-in',
    summary: 'Read one page, as Firecrawl',
    about:
      'For applications that take the address of a Firecrawl. `html`, `rawHtml`, `links`, `images`, `attributes`, tags and headers have the page fetched; plain Markdown may come from the cache.',
    price: '1 credit.',
    body: ScrapeBody,
    answer: z
      .object({ success: z.literal(true), data: FirecrawlDocument })
      .meta({ title: 'FirecrawlScrape' }),
    errors: ['url_not_allowed', 'validation_error', 'request_timeout', 'fetch_failed'],
    example: { body: { url: 'https://example.org/', formats: ['markdown', 'links'] } },
  },
  'POST /v2/search': SEARCH,
  'POST /v2/map': MAP,
  'POST /firecrawl/v1/search': {
    ...SEARCH,
    id: 'firecrawlSearchV1',
    summary: 'Search the web, as version 1 of Firecrawl',
  },
  'POST /firecrawl/v1/map': {
    ...MAP,
    id: 'firecrawlMapV1',
    summary: 'List the addresses of a site, as version 1 of Firecrawl',
  },
  'GET /v2/team/credit-usage': {
    id: 'firecrawlCreditUsage',
    tag: 'drop-in',
    summary: 'Get the credits left on a key, as Firecrawl',
    about: 'There are no plans and no billing periods.',
    price: 'Free.',
    answer: CreditUsageAnswer,
    errors: [],
  },
  'GET /firecrawl/v1/team/credit-usage': {
    id: 'firecrawlCreditUsageV1',
    tag: 'drop-in',
    summary: 'Get the credits left on a key, as version 1 of Firecrawl',
    about: 'There are no plans and no billing periods.',
    price: 'Free.',
    answer: CreditUsageV1Answer,
    errors: [],
  },
  'GET /v2/team/token-usage': {
    id: 'firecrawlTokenUsage',
    tag: 'drop-in',
    summary: 'Get the tokens left on a key, as Firecrawl',
    about: 'Always none: tokens pay for extraction by models, which is not offered.',
    price: 'Free.',
    answer: TokenUsageAnswer,
    errors: [],
  },
  'GET /firecrawl/v1/team/token-usage': {
    id: 'firecrawlTokenUsageV1',
    tag: 'drop-in',
    summary: 'Get the tokens left on a key, as version 1 of Firecrawl',
    about: 'Always none: tokens pay for extraction by models, which is not offered.',
    price: 'Free.',
    answer: TokenUsageV1Answer,
    errors: [],
  },
  'GET /v2/team/queue-status': {
    id: 'firecrawlQueueStatus',
    tag: 'drop-in',
    summary: 'Get what is waiting, as Firecrawl',
    about:
      "The caller's calls that run now, and the addresses that its crawls and batches have still to read.",
    price: 'Free.',
    answer: QueueStatusAnswer,
    errors: [],
  },
  'GET /v2/concurrency-check': {
    id: 'firecrawlConcurrency',
    tag: 'drop-in',
    summary: 'Get how many calls of a key run, as Firecrawl',
    about: 'The most is what a key may run while nobody else calls.',
    price: 'Free.',
    answer: ConcurrencyAnswer,
    errors: [],
  },
  ...JOB_OPERATIONS,
};
