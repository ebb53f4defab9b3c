import * as z from 'zod';
import type { Operation, Parameter } from '../calls/operation.ts';
import { BraveContextFields, BraveWebFields } from './web.ts';

const { q, count, freshness, store, offset, extraSnippets } = BraveWebFields.shape;
const {
  maximumNumberOfUrls,
  maximumNumberOfTokens,
  maximumNumberOfTokensPerUrl,
  maximumNumberOfSnippetsPerUrl,
} = BraveContextFields.shape;

const createQueryParameter = (name: string, schema: z.ZodType, about: string): Parameter => ({
  name,
  in: 'query',
  about,
  schema,
});

const SHARED: Parameter[] = [
  { ...createQueryParameter('q', q, 'The query; `site:` and `-site:` filter domains.'), required: true },
  createQueryParameter('count', count, 'How many results.'),
  createQueryParameter('freshness', freshness, 'pd, pw, pm, py, or a range of days.'),
  createQueryParameter('store', store, 'false: keep nothing.'),
];

const familyFriendly = z.boolean().meta({ description: 'Always true: results are not judged.' });

const WebAnswer = z
  .object({
    type: z.literal('search'),
    query: z.object({ original: z.string(), more_results_available: z.boolean() }),
    web: z.object({
      type: z.literal('search'),
      family_friendly: familyFriendly,
      results: z.array(
        z.looseObject({
          family_friendly: familyFriendly,
          title: z.string(),
          url: z.string(),
          description: z.string().meta({ description: 'A passage of the page as plain text; may be empty.' }),
          page_age: z.string().optional(),
          extra_snippets: z.array(z.string()).optional(),
        }),
      ),
    }),
  })
  .meta({ title: 'BraveWebAnswer' });

const ContextAnswer = z
  .object({
    grounding: z.object({
      generic: z.array(z.object({ url: z.string(), title: z.string(), snippets: z.array(z.string()) })),
      poi: z.null(),
      map: z.array(z.string()),
    }),
    sources: z.record(
      z.string(),
      z.object({ title: z.string(), hostname: z.string(), age: z.array(z.string()).nullable() }),
    ),
  })
  .meta({ title: 'BraveContextAnswer' });

const WEB = {
  tag: 'drop-in',
  price: '1 credit.',
  answer: WebAnswer,
  errors: ['validation_error', 'recall_unavailable'],
} as const satisfies Partial<Operation>;
const CONTEXT = { ...WEB, answer: ContextAnswer };

/** The operations of Brave's shape. */
export const BRAVE_OPERATIONS: Record<string, Operation> = {
  'GET /res/v1/web/search': {
    ...WEB,
    id: 'braveWebSearch',
    summary: 'Search the web, as Brave',
    about: 'For clients of the Brave Search API; the key may stand in `X-Subscription-Token`.',
    parameters: [
      ...SHARED,
      createQueryParameter(
        'offset',
        offset,
        'Pages of `count` results to skip; behind 50 results the list is empty.',
      ),
      createQueryParameter('extra_snippets', extraSnippets, 'Up to five more passages of each page.'),
    ],
    errors: [...WEB.errors],
    example: { path: '/res/v1/web/search?q=how+does+write-ahead+logging+work&count=3' },
  },
  'POST /res/v1/web/search': {
    ...WEB,
    id: 'braveWebSearchPost',
    summary: 'Search the web with a body, as Brave',
    about: 'The parameters of the GET as JSON or a form, for queries that are long for an address.',
    body: BraveWebFields,
    spelling: 'snake_case',
    errors: [...WEB.errors],
    example: { body: { q: 'how does write-ahead logging work', count: 3 } },
  },
  'GET /res/v1/llm/context': {
    ...CONTEXT,
    id: 'braveContext',
    summary: 'Get passages for a query, as Brave',
    about: 'Passages of the pages that a search finds, as Markdown, within a budget of tokens.',
    parameters: [
      ...SHARED,
      createQueryParameter('maximum_number_of_urls', maximumNumberOfUrls, 'Pages.'),
      createQueryParameter(
        'maximum_number_of_tokens',
        maximumNumberOfTokens,
        'Tokens of all passages; default 8192.',
      ),
      createQueryParameter('maximum_number_of_tokens_per_url', maximumNumberOfTokensPerUrl, 'Default 4096.'),
      createQueryParameter(
        'maximum_number_of_snippets_per_url',
        maximumNumberOfSnippetsPerUrl,
        'Passages of each page.',
      ),
    ],
    errors: [...CONTEXT.errors],
    example: { path: '/res/v1/llm/context?q=how+does+write-ahead+logging+work&count=3' },
  },
  'POST /res/v1/llm/context': {
    ...CONTEXT,
    id: 'braveContextPost',
    summary: 'Get passages for a query with a body, as Brave',
    about: 'The parameters of the GET as JSON or a form.',
    body: BraveContextFields,
    spelling: 'snake_case',
    errors: [...CONTEXT.errors],
    example: { body: { q: 'how does write-ahead logging work', maximum_number_of_tokens: 1_000 } },
  },
};
