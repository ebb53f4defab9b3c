import { z } from 'zod';
import type { Operation } from '../calls/operation.ts';
import { ScrapeBody } from './scrape-fields.ts';
import { ConcurrencyAnswer, CreditUsageAnswer } from './team.ts';

const texts = z.array(z.string());

/** A page, wherever this shape returns one. */
const Document = z
  .object({
    markdown: z.string().optional(),
    html: z.string().optional().meta({ description: 'Without scripts and styles; addresses are absolute.' }),
    rawHtml: z.string().optional().meta({ description: 'The source.' }),
    links: texts.optional(),
    images: texts.optional(),
    attributes: z.array(z.object({ selector: z.string(), attribute: z.string(), values: texts })).optional(),
    warning: z.string().optional().meta({ description: 'Why a format is missing.' }),
    metadata: z
      .looseObject({
        title: z.string(),
        description: z.string().optional(),
        language: z.string().optional(),
        sourceURL: z.string().meta({ description: 'As requested.' }),
        url: z.string().meta({ description: 'Where the text was read.' }),
        statusCode: z.int(),
        scrapeId: z.string(),
        cacheState: z.enum(['hit', 'miss']),
        cachedAt: z.string().optional(),
      })
      .meta({
        description:
          'Also every `meta` of the page by its name, and the usual ones as `ogTitle`, `keywords` ...',
      }),
  })
  .meta({ title: 'FirecrawlDocument' });

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
    answer: z.object({ success: z.literal(true), data: Document }).meta({ title: 'FirecrawlScrape' }),
    errors: ['url_not_allowed', 'validation_error', 'request_timeout', 'fetch_failed'],
    example: { body: { url: 'https://example.org/', formats: ['markdown', 'links'] } },
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
  'GET /v2/concurrency-check': {
    id: 'firecrawlConcurrency',
    tag: 'drop-in',
    summary: 'Get how many calls of a key run, as Firecrawl',
    about: 'The most is what a key may run while nobody else calls.',
    price: 'Free.',
    answer: ConcurrencyAnswer,
    errors: [],
  },
};
