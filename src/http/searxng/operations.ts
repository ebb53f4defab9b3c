import * as z from 'zod';
import type { Operation, Parameter } from '../calls/operation.ts';
import { SearxngFields } from './formats.ts';

const { q, format, pageno, timeRange, store } = SearxngFields.shape;

const PARAMETERS: Parameter[] = [
  { name: 'q', in: 'query', required: true, about: 'The query.', schema: q },
  { name: 'format', in: 'query', about: 'json, csv or rss; anything else counts as json.', schema: format },
  {
    name: 'pageno',
    in: 'query',
    about: 'The page, ten results each; from page 6 on the list is empty.',
    schema: pageno,
  },
  { name: 'time_range', in: 'query', about: 'Only pages published in this span.', schema: timeRange },
  { name: 'store', in: 'query', about: 'false: keep nothing.', schema: store },
];

const list = z.array(z.string());

const SearchAnswer = z
  .object({
    query: z.string(),
    number_of_results: z.int().min(0),
    results: z.array(
      z.object({
        url: z.string(),
        title: z.string(),
        content: z.string().meta({ description: 'A passage of the page as plain text; may be empty.' }),
        engine: z.string(),
        engines: list,
        score: z.number(),
        category: z.string(),
        publishedDate: z.string().nullable().meta({ description: 'YYYY-MM-DDT00:00:00, or null.' }),
        pubdate: z.string(),
        template: z.string(),
        parsed_url: list,
        positions: z.array(z.int()),
        img_src: z.string(),
        thumbnail: z.string(),
        priority: z.string(),
      }),
    ),
    answers: list,
    corrections: list,
    infoboxes: list,
    suggestions: list,
    unresponsive_engines: z
      .array(list)
      .meta({ description: 'The sources that failed, each with its error.' }),
  })
  .meta({ title: 'SearxngAnswer' });

const ConfigAnswer = z
  .looseObject({
    instance_name: z.string(),
    version: z.string(),
    categories: list,
    engines: z.array(z.looseObject({ name: z.string(), enabled: z.boolean() })),
  })
  .meta({ title: 'SearxngConfig' });

const SEARCH = {
  tag: 'drop-in',
  price: '1 credit.',
  parameters: PARAMETERS,
  answer: SearchAnswer,
  otherTypes: ['text/csv', 'application/rss+xml'],
  errors: ['validation_error', 'recall_unavailable'],
} as const satisfies Partial<Operation>;

/** The operations of SearXNG's shape. */
export const SEARXNG_OPERATIONS: Record<string, Operation> = {
  'GET /searxng/search': {
    ...SEARCH,
    id: 'searxngSearch',
    summary: 'Search the web, as SearXNG',
    about:
      'For applications that take the address of a SearXNG: set it to `/searxng`, or to `/searxng/{key}` where they send no key. `GET /search` with a `format` is the same. Engines, categories, languages and safe search are accepted and have no effect.',
    errors: [...SEARCH.errors],
    example: { path: '/searxng/search?q=how+does+write-ahead+logging+work&format=json' },
  },
  'POST /searxng/search': {
    ...SEARCH,
    id: 'searxngSearchForm',
    summary: 'Search the web with a form, as SearXNG',
    about: 'The parameters stand in the query string, a form or a JSON object.',
    errors: [...SEARCH.errors],
  },
  'GET /searxng/config': {
    id: 'searxngConfig',
    tag: 'drop-in',
    summary: 'List what a SearXNG client may ask for',
    about: 'The categories, and the search sources in the place of engines.',
    price: 'Free.',
    answer: ConfigAnswer,
    errors: [],
  },
  'GET /searxng/healthz': {
    id: 'searxngHealthz',
    tag: 'drop-in',
    summary: 'Check liveness, as SearXNG',
    about: 'Succeeds while the process runs.',
    isProbe: true,
    price: 'Free.',
    answer: 'text/plain',
    errors: [],
  },
};
