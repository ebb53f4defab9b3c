import * as z from 'zod';
import type { Operation } from '../calls/operation.ts';
import { ReaderBody } from '../reader/reader.ts';
import { READER_ANSWER_HEADERS, READER_HEADERS } from '../reader/reader-parameters.ts';
import { RerankBody } from './rerank.ts';
import { JinaSearchFields } from './search.ts';

const RerankAnswerBody = z
  .object({
    id: z.string(),
    object: z.literal('list'),
    model: z
      .enum(['lexical', 'onnx'])
      .meta({ description: 'What judged: the built-in scorer or the model.' }),
    results: z
      .array(
        z.object({
          index: z.int().min(0).meta({ description: 'The place of the document in the request.' }),
          relevance_score: z.number().min(0).max(1),
          document: z.looseObject({ text: z.string() }).optional(),
        }),
      )
      .meta({ description: 'Best first.' }),
    usage: z.object({ total_tokens: z.int().min(0), prompt_tokens: z.int().min(0) }),
    meta: z
      .object({ billed_units: z.object({ search_units: z.int().min(0) }) })
      .meta({ costs: true, description: 'Credits used.' }),
    costDollars: z.object({ total: z.number() }).meta({ costs: true }),
  })
  .meta({ title: 'RerankAnswer' });

const tokens = z.object({ tokens: z.int().min(0) });
const meta = z.object({ usage: tokens });
const costDollars = z.object({ total: z.number() }).meta({ costs: true }).optional();
const envelope = { code: z.literal(200), status: z.literal(20_000), meta, costDollars };

/** The JSON of a page, for `Accept: application/json`. */
export const ReaderAnswerBody = z
  .object({
    ...envelope,
    data: z.object({
      title: z.string(),
      url: z.string(),
      description: z.string(),
      publishedTime: z.string().optional().meta({ description: 'YYYY-MM-DD.' }),
      content: z.string().optional().meta({ description: 'The page as Markdown.' }),
      html: z.string().optional(),
      text: z.string().optional(),
      screenshotUrl: z.string().optional().meta({ description: 'A PNG as a `data:` address.' }),
      pageshotUrl: z
        .string()
        .optional()
        .meta({ description: 'The whole page as a PNG, as a `data:` address.' }),
      metadata: z.object({ lang: z.string().optional(), author: z.string().optional() }),
      links: z.union([z.record(z.string(), z.string()), z.array(z.array(z.string()))]).optional(),
      images: z.record(z.string(), z.string()).optional(),
      usage: tokens,
    }),
  })
  .meta({ title: 'ReaderAnswer' });

const SearchAnswerBody = z
  .object({
    ...envelope,
    data: z.array(
      z.object({
        title: z.string(),
        url: z.string(),
        description: z.string().meta({ description: 'A passage of the page; may be empty.' }),
        publishedTime: z.string().optional(),
        content: z.string().optional().meta({ description: 'The page as Markdown, or as text.' }),
        usage: tokens.optional(),
      }),
    ),
  })
  .meta({ title: 'JinaSearchAnswer' });

const { q, count, num, page, site } = JinaSearchFields.shape;

const SEARCH = {
  tag: 'drop-in',
  price: '1 credit.',
  answer: 'text/plain',
  json: SearchAnswerBody,
  errors: ['validation_error', 'recall_unavailable'],
} as const satisfies Partial<Operation>;

const ABOUT_SEARCH =
  'The best pages for a query with their text, for clients of Jina; `Accept: application/json` alone returns JSON. The headers of `/r/{url}` for formats, caches, time and tokens count here too; `X-Respond-With: no-content` leaves the texts out, and `X-Site` is the same as `site`.';

/** The operations in the shapes of Jina. */
export const JINA_OPERATIONS: Record<string, Operation> = {
  'GET /s': {
    ...SEARCH,
    id: 'jinaSearch',
    summary: 'Search with page texts, as Jina',
    about: `${ABOUT_SEARCH} The query may stand in the path, as \`/s/{query}\`.`,
    parameters: [
      { name: 'q', in: 'query', required: true, about: 'The query.', schema: q },
      { name: 'count', in: 'query', about: 'Results on a page.', schema: count },
      { name: 'num', in: 'query', about: 'The same under its newer name.', schema: num },
      { name: 'page', in: 'query', about: 'The page of results.', schema: page },
      { name: 'site', in: 'query', about: 'Only pages of this domain.', schema: site },
    ],
    errors: [...SEARCH.errors],
    example: { path: '/s?q=how+does+write-ahead+logging+work' },
  },
  'POST /s': {
    ...SEARCH,
    id: 'jinaSearchPost',
    summary: 'Search with page texts, as Jina, by POST',
    about: `${ABOUT_SEARCH} The body is JSON or a form.`,
    body: JinaSearchFields,
    errors: [...SEARCH.errors],
  },
  'POST /r': {
    id: 'readGiven',
    tag: 'drop-in',
    summary: 'Read a page, also one that you send',
    about:
      'As `GET /r/{url}`, for addresses with a fragment or many parameters, and for a page that you have: `html` or `pdf` is read without fetching or keeping anything. The body is JSON or a form; fields such as `targetSelector` count as the headers.',
    price: '1 credit.',
    parameters: READER_HEADERS,
    body: ReaderBody,
    answer: 'text/markdown',
    headers: READER_ANSWER_HEADERS,
    json: ReaderAnswerBody,
    otherTypes: ['text/plain', 'image/png'],
    errors: ['url_not_allowed', 'validation_error', 'fetch_failed'],
  },
  'POST /v1/rerank': {
    id: 'rerank',
    tag: 'drop-in',
    summary: 'Rank documents',
    about: 'Orders up to 1,000 documents by how well they match a query, for clients of Jina and Cohere.',
    price: '1 credit for each 100 documents begun.',
    body: RerankBody,
    spelling: 'snake_case',
    answer: RerankAnswerBody,
    errors: ['validation_error'],
    example: {
      body: {
        query: 'Where do sanderlings breed?',
        documents: ['Sanderlings winter on sandy shores.', 'They breed in the high Arctic.'],
        top_n: 1,
      },
    },
  },
};
