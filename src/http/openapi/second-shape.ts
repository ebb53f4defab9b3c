import * as z from 'zod';
import type { Operation } from '../calls/operation.ts';
import { CrawlBody } from '../shape-b/crawl.ts';
import { ExtractBody } from '../shape-b/extract.ts';
import { MapBody } from '../shape-b/map.ts';
import { ShapeBResearchBody } from '../shape-b/research.ts';
import { ShapeBSearchBody } from '../shape-b/search.ts';
import { writtenProofs } from '../writing/proof-schemas.ts';
import { weak } from './page-schemas.ts';

const closingFields = {
  response_time: z.number().min(0).meta({ description: 'Seconds.' }),
  request_id: z.string(),
  usage: z
    .object({ credits: z.int().min(0) })
    .optional()
    .meta({ costs: true, description: 'Only when requested.' }),
};
const images = z.array(z.string()).meta({ description: 'Pictures of the page; only when requested.' });
const describedImages = z
  .array(z.union([z.string(), z.object({ url: z.string(), description: z.string() })]))
  .meta({ description: 'Pictures of the results; only when requested.' });
const noImages = z.array(z.string()).max(0);
const favicon = z.string().optional();

const place = {
  start: z.int().min(0).meta({ description: "Start offset in the page's Markdown." }),
  end: z.int().min(0),
  heading_path: z
    .array(z.string())
    .meta({ description: 'The headings above the quotation, outermost first.' }),
  link: z.string().meta({ description: 'Opens the page at the quotation (a text fragment).' }),
};
const contentHash = z.string().meta({ description: "SHA-256 of the page's Markdown." });

/** POST /shapeB/search. */
const SearchAnswer = z
  .object({
    query: z.string(),
    images: describedImages,
    results: z.array(
      z.object({
        title: z.string(),
        url: z.string(),
        content: z.string().meta({ description: 'Passages from the page.' }),
        raw_content: z.string().nullable().meta({ description: 'The whole page, when requested.' }),
        score: z.number(),
        weak,
        published_date: z.string().optional(),
        favicon,
        content_proofs: z
          .array(z.object(place))
          .optional()
          .meta({ description: 'Where each passage is on the page; absent if the page was not opened.' }),
        content_hash: contentHash.optional(),
      }),
    ),
    answer: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'A passage quoted from the results, or null; only when requested.' }),
    answer_proof: z
      .object({ url: z.string(), title: z.string(), ...place, content_hash: contentHash })
      .nullable()
      .optional()
      .meta({
        description: 'Where the answer is on its page; null without an answer, absent unless requested.',
      }),
    answer_statements: writtenProofs.statements,
    answer_dropped: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Statements of a written answer that failed the check.' }),
    auto_parameters: z
      .object({ topic: z.string(), search_depth: z.unknown() })
      .optional()
      .meta({ description: 'What was chosen by the query; only when requested.' }),
    ...closingFields,
  })
  .meta({ title: 'SecondShapeSearchAnswer' });

const page = { url: z.string(), raw_content: z.string(), images: noImages, favicon };

/** POST /shapeB/extract. */
const ExtractAnswer = z
  .object({
    results: z.array(z.object({ ...page, images, title: z.string() })),
    failed_results: z.array(z.object({ url: z.string(), error: z.string() })),
    ...closingFields,
  })
  .meta({ title: 'ExtractAnswer' });

/** POST /shapeB/crawl. */
const CrawlAnswer = z
  .object({ base_url: z.string(), results: z.array(z.object(page)), ...closingFields })
  .meta({ title: 'CrawlAnswer' });

/** POST /shapeB/map. */
const MapAnswer = z
  .object({ base_url: z.string(), results: z.array(z.string()), ...closingFields })
  .meta({ title: 'MapAnswer' });

/** POST and GET of /shapeB/research. */
const ResearchReport = z
  .object({
    request_id: z.string(),
    created_at: z.string(),
    status: z.literal('completed'),
    input: z.string(),
    model: z.string(),
    content: z.string().meta({
      description:
        'Quotations by facet as Markdown, and where the pages agree and disagree; where the service has a model: prose with numbered sources.',
    }),
    statements: writtenProofs.statements,
    sources: z.array(z.object({ title: z.string(), url: z.string(), favicon: z.string().nullable() })),
    response_time: closingFields.response_time,
    usage: closingFields.usage,
  })
  .meta({ title: 'SecondShapeResearch' });

/** GET /shapeB/usage. */
const Usage = z
  .object({
    key: z.object({
      usage: z.int().min(0).meta({ description: 'Credits used in this UTC month.' }),
      limit: z.null(),
      calls_per_day: z.int().nullable(),
    }),
    account: z.object({
      current_plan: z.string(),
      plan_usage: z.int().min(0),
      plan_limit: z.int().min(0).meta({ description: 'What was used this month and what is left.' }),
      paygo_usage: z.literal(0),
      paygo_limit: z.null(),
    }),
  })
  .meta({ title: 'SecondShapeUsage' });

/** The operations under `/shapeB`. */
export const SECOND_SHAPE_OPERATIONS: Record<string, Operation> = {
  'POST /shapeB/search': {
    id: 'shapeBSearch',
    tag: 'second shape',
    summary: 'Search the web, second shape',
    about: 'For clients of the second shape; set their base URL to `/shapeB`.',
    price: '1 credit at any depth.',
    body: ShapeBSearchBody,
    spelling: 'snake_case',
    answer: SearchAnswer,
    errors: ['validation_error', 'recall_unavailable'],
    example: { body: { query: 'how does write-ahead logging work', max_results: 3 } },
  },
  'POST /shapeB/extract': {
    id: 'shapeBExtract',
    tag: 'second shape',
    summary: 'Read pages, second shape',
    about: 'Returns up to twenty pages, or their best passages when `query` is set.',
    price: '1 credit for each page that loads.',
    body: ExtractBody,
    spelling: 'snake_case',
    answer: ExtractAnswer,
    errors: ['validation_error', 'url_not_allowed'],
    example: { body: { urls: ['https://example.org/'] } },
  },
  'POST /shapeB/crawl': {
    id: 'shapeBCrawl',
    tag: 'second shape',
    summary: 'Crawl a site',
    about:
      'Follows the links of a site within limits on depth, breadth, pages, URL patterns and time, and obeys robots.txt.',
    price: '1 credit per page.',
    body: CrawlBody,
    spelling: 'snake_case',
    answer: CrawlAnswer,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed'],
    example: { body: { url: 'https://example.org/', limit: 5 } },
  },
  'POST /shapeB/research': {
    id: 'shapeBResearch',
    tag: 'second shape',
    summary: 'Research, second shape',
    about:
      'Runs several searches and returns quotations by facet as a report, within the call; `GET /shapeB/research/{id}` returns it again for an hour. With `stream` as server-sent events.',
    price: '1 credit for each search that returns.',
    body: ShapeBResearchBody,
    spelling: 'snake_case',
    answer: ResearchReport,
    otherTypes: ['text/event-stream'],
    errors: ['validation_error', 'recall_unavailable'],
    example: { body: { input: 'How do write-ahead logs and rollback journals differ?' } },
  },
  'GET /shapeB/research/:id': {
    id: 'shapeBGetResearch',
    tag: 'second shape',
    summary: 'Get a research again',
    about: 'A report of the last hour, for the key or network that asked for it.',
    price: 'Free.',
    parameters: [{ name: 'id', in: 'path', required: true, about: 'The `request_id`.', schema: z.string() }],
    answer: ResearchReport,
    errors: ['not_found'],
  },
  'GET /shapeB/usage': {
    id: 'shapeBUsage',
    tag: 'second shape',
    summary: 'Get the usage of a key',
    about: 'The credits that the key used in this UTC month.',
    price: 'Free.',
    answer: Usage,
    errors: [],
  },
  'POST /shapeB/map': {
    id: 'shapeBMap',
    tag: 'second shape',
    summary: 'List the URLs of a site',
    about: 'Lists each URL once, from the sitemaps first, then from links.',
    price: '1 credit.',
    body: MapBody,
    spelling: 'snake_case',
    answer: MapAnswer,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed'],
    example: { body: { url: 'https://example.org/' } },
  },
};
