import { z } from 'zod';
import { CrawlBody } from '../shape-b/crawl.ts';
import { ExtractBody } from '../shape-b/extract.ts';
import { MapBody } from '../shape-b/map.ts';
import { ShapeBSearchBody } from '../shape-b/search.ts';
import type { Operation } from './operation.ts';

const ending = {
  response_time: z.number().min(0).meta({ description: 'Seconds.' }),
  request_id: z.string(),
  usage: z
    .object({ credits: z.int().min(0) })
    .optional()
    .meta({ description: 'Only when asked for.' }),
};
const noImages = z.array(z.string()).max(0);
const favicon = z.string().optional();

const place = {
  start: z.int().min(0).meta({ description: 'Where it begins in the Markdown of the page.' }),
  end: z.int().min(0),
  heading_path: z.array(z.string()).meta({ description: 'The headings above it, outermost first.' }),
  link: z.string().meta({ description: 'Opens the page where it stands (a text fragment).' }),
};
const contentHash = z.string().meta({ description: "SHA-256 of the page's Markdown." });

/** POST /shapeB/search. */
const SearchAnswer = z
  .object({
    query: z.string(),
    images: noImages,
    results: z.array(
      z.object({
        title: z.string(),
        url: z.string(),
        content: z.string().meta({ description: 'Passages from the page.' }),
        raw_content: z.string().nullable().meta({ description: 'The page, where it was asked for.' }),
        score: z.number(),
        published_date: z.string().optional(),
        favicon,
        content_proofs: z
          .array(z.object(place))
          .optional()
          .meta({ description: 'Where each passage stands; absent where the page was not opened.' }),
        content_hash: contentHash.optional(),
      }),
    ),
    answer: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Only when asked for: a passage quoted from the results, or null.' }),
    answer_proof: z
      .object({ url: z.string(), title: z.string(), ...place, content_hash: contentHash })
      .nullable()
      .optional()
      .meta({ description: 'Where the answer stands; null without one, absent when not asked for.' }),
    ...ending,
  })
  .meta({ title: 'SecondShapeSearchAnswer' });

const page = { url: z.string(), raw_content: z.string(), images: noImages, favicon };

/** POST /shapeB/extract. */
const ExtractAnswer = z
  .object({
    results: z.array(z.object({ ...page, title: z.string() })),
    failed_results: z.array(z.object({ url: z.string(), error: z.string() })),
    ...ending,
  })
  .meta({ title: 'ExtractAnswer' });

/** POST /shapeB/crawl. */
const CrawlAnswer = z
  .object({ base_url: z.string(), results: z.array(z.object(page)), ...ending })
  .meta({ title: 'CrawlAnswer' });

/** POST /shapeB/map. */
const MapAnswer = z
  .object({ base_url: z.string(), results: z.array(z.string()), ...ending })
  .meta({ title: 'MapAnswer' });

/** The operations under `/shapeB`, in the words of their own clients. */
export const SECOND_SHAPE_OPERATIONS: Record<string, Operation> = {
  'POST /shapeB/search': {
    id: 'shapeBSearch',
    tag: 'second shape',
    summary: 'Search the web, second shape',
    about: 'For clients of that shape, whose base address is `/shapeB`. 1 credit, whatever the depth.',
    body: ShapeBSearchBody,
    answer: SearchAnswer,
    errors: ['validation_error', 'recall_unavailable'],
    example: { body: { query: 'how does write-ahead logging work', max_results: 3 } },
  },
  'POST /shapeB/extract': {
    id: 'shapeBExtract',
    tag: 'second shape',
    summary: 'Read pages, second shape',
    about: 'Up to twenty pages, or with a question their best passages. 1 credit for each page that loads.',
    body: ExtractBody,
    answer: ExtractAnswer,
    errors: ['validation_error', 'url_not_allowed'],
    example: { body: { urls: ['https://example.org/'] } },
  },
  'POST /shapeB/crawl': {
    id: 'shapeBCrawl',
    tag: 'second shape',
    summary: 'Read the pages of a site',
    about:
      'Follows the links of a site within depth, breadth, number of pages, patterns and time, and obeys robots.txt. 1 credit a page.',
    body: CrawlBody,
    answer: CrawlAnswer,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed'],
    example: { body: { url: 'https://example.org/', limit: 5 } },
  },
  'POST /shapeB/map': {
    id: 'shapeBMap',
    tag: 'second shape',
    summary: 'List the addresses of a site',
    about: 'From its sitemaps, then its links, each address once. 1 credit.',
    body: MapBody,
    answer: MapAnswer,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed'],
    example: { body: { url: 'https://example.org/' } },
  },
};
