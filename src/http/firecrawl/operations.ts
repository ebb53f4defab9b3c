import * as z from 'zod';
import type { Operation, Parameter } from '../calls/operation.ts';
import { BatchScrapeBody } from './jobs/start-batch.ts';
import { CrawlJobBody } from './jobs/start-crawl.ts';
import { MapAnswer, MapBody } from './map.ts';
import { ScrapeBody } from './scrape-fields.ts';
import { FirecrawlDocument, SearchAnswer } from './search.ts';
import { SearchBody } from './search-fields.ts';
import {
  ConcurrencyAnswer,
  CreditUsageAnswer,
  CreditUsageV1Answer,
  QueueStatusAnswer,
  TokenUsageAnswer,
  TokenUsageV1Answer,
} from './team.ts';

const texts = z.array(z.string());
const started = {
  success: z.literal(true),
  id: z.string(),
  url: z.string().meta({ description: 'Where its status is.' }),
  webhookSecret: z.string().optional().meta({
    description: 'Signs its events: `X-Firecrawl-Signature` is `sha256=` and the HMAC-SHA-256 of the body.',
  }),
};
const CrawlStarted = z.object(started).meta({ title: 'CrawlStarted' });
const BatchStarted = z
  .object({ ...started, invalidURLs: texts.meta({ description: 'Addresses that may not be read.' }) })
  .meta({ title: 'BatchStarted' });
const JobStatus = z
  .object({
    success: z.literal(true),
    status: z.enum(['scraping', 'completed', 'failed', 'cancelled']),
    completed: z.int().min(0).meta({ description: 'Pages in the results.' }),
    total: z.int().min(0).meta({ description: 'Those, and the pages that failed or wait.' }),
    creditsUsed: z.int().min(0).optional().meta({ costs: true }),
    expiresAt: z.string().meta({ description: 'When the results are deleted.' }),
    next: z.string().optional().meta({ description: 'More results; absent where there are none yet.' }),
    warning: z.string().optional().meta({ description: 'Why the results are not complete.' }),
    error: z.string().optional().meta({ description: 'Why the job failed.' }),
    data: z.array(FirecrawlDocument),
  })
  .meta({ title: 'JobStatus' });
const JobCancelled = z
  .object({ success: z.literal(true), status: z.literal('cancelled') })
  .meta({ title: 'JobCancelled' });
const JobErrors = z
  .object({
    errors: z.array(
      z.object({
        id: z.string(),
        timestamp: z.string(),
        url: z.string(),
        code: z.string(),
        error: z.string(),
      }),
    ),
    robotsBlocked: texts.meta({ description: 'Pages that robots.txt does not allow.' }),
  })
  .meta({ title: 'JobErrors' });
const RunningCrawls = z
  .object({
    success: z.literal(true),
    crawls: z.array(
      z.looseObject({ id: z.string(), teamId: z.string(), url: z.string(), created_at: z.string() }),
    ),
  })
  .meta({ title: 'RunningCrawls' });
const jobId = z.uuid().meta({ examples: ['6f1c3c8e-9f1b-4a51-8d3e-2b7f3c0f6a10'] });
const id: Parameter = { name: 'id', in: 'path', required: true, about: 'The job.', schema: jobId };
const slice: Parameter[] = [
  { name: 'skip', in: 'query', about: 'Results to leave out.', schema: z.int().min(0) },
  { name: 'limit', in: 'query', about: 'Results in the answer, at most 100.', schema: z.int().min(1) },
];
const CRAWL = { title: 'crawl', path: '/v2/crawl' };
const BATCH = { title: 'batch', path: '/v2/batch/scrape' };
/** The operations of asynchronous jobs. */
const JOB_OPERATIONS: Record<string, Operation> = {
  'POST /v2/crawl': {
    id: 'startFirecrawlCrawl',
    tag: 'drop-in',
    summary: 'Start a crawl, as Firecrawl',
    about:
      'Reads the pages of a site in the background, robots.txt obeyed. Goes on if the server restarts. At most 10 pages without a key.',
    price: '1 credit for each page in its results.',
    body: CrawlJobBody,
    answer: CrawlStarted,
    errors: ['url_not_allowed', 'validation_error'],
    example: { body: { url: 'https://example.org/', limit: 20, includePaths: ['^/docs/'] } },
  },
  'POST /v2/batch/scrape': {
    id: 'startFirecrawlBatch',
    tag: 'drop-in',
    summary: 'Read many pages, as Firecrawl',
    about: 'Reads up to 1,000 pages in the background. At most 10 without a key.',
    price: '1 credit for each page in its results.',
    body: BatchScrapeBody,
    answer: BatchStarted,
    errors: ['url_not_allowed', 'validation_error'],
    example: { body: { urls: ['https://example.org/'], formats: ['markdown'] } },
  },
  'GET /v2/crawl/ongoing': {
    id: 'listFirecrawlCrawls',
    tag: 'drop-in',
    summary: 'List running crawls, as Firecrawl',
    about: 'Those of the key (or the network) that asks.',
    price: 'Free.',
    answer: RunningCrawls,
    errors: [],
    example: { path: '/v2/crawl/ongoing' },
  },
  ...buildJobOperations(CRAWL),
  ...buildJobOperations(BATCH),
};

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

function buildJobOperations({ title, path }: typeof CRAWL): Record<string, Operation> {
  const buildAbout = (text: string) => ({ tag: 'drop-in' as const, price: 'Free.', about: text });
  const named = title === 'crawl' ? 'FirecrawlCrawl' : 'FirecrawlBatch';
  return {
    [`GET ${path}/:id`]: {
      id: `get${named}`,
      ...buildAbout(
        'Only the key (or the network) that started the job may ask. Results are kept for a day.',
      ),
      summary: `Ask for the results of a ${title}, as Firecrawl`,
      parameters: [id, ...slice],
      answer: JobStatus,
      errors: ['not_found'],
    },
    [`DELETE ${path}/:id`]: {
      id: `cancel${named}`,
      ...buildAbout('What it has read so far stays.'),
      price: 'Free; pages that were read stay charged.',
      summary: `Cancel a ${title}, as Firecrawl`,
      parameters: [id],
      answer: JobCancelled,
      errors: ['not_found', 'job_ended'],
    },
    [`GET ${path}/:id/errors`]: {
      id: `get${named}Errors`,
      ...buildAbout('Why pages are missing from the results.'),
      summary: `Ask for the errors of a ${title}, as Firecrawl`,
      parameters: [id],
      answer: JobErrors,
      errors: ['not_found'],
    },
  };
}
