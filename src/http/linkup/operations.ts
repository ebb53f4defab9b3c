import * as z from 'zod';
import type { Operation } from '../calls/operation.ts';
import { LinkupBalance, LinkupFetchAnswer, LinkupFetchBody } from './fetch.ts';
import { LinkupSearchBody } from './search.ts';

const source = { name: z.string(), url: z.string(), favicon: z.string() };

const SearchAnswer = z
  .object({
    results: z
      .array(
        z.union([
          z
            .object({ type: z.literal('text'), ...source, content: z.string() })
            .meta({ title: 'LinkupTextResult' }),
          z
            .object({ type: z.literal('image'), name: z.string(), url: z.string() })
            .meta({ title: 'LinkupImageResult' }),
        ]),
      )
      .optional()
      .meta({
        description: 'With `searchResults`; with `includeImages` the images of the pages follow the pages.',
      }),
    answer: z
      .string()
      .optional()
      .meta({ description: 'With `sourcedAnswer`: a passage quoted from the results, or empty.' }),
    sources: z
      .array(z.object({ ...source, snippet: z.string() }))
      .optional()
      .meta({ description: 'With `sourcedAnswer`.' }),
  })
  .meta({ title: 'LinkupAnswer' });

/** The operations of Linkup's shape. */
export const LINKUP_OPERATIONS: Record<string, Operation> = {
  'POST /linkup/v1/search': {
    id: 'linkupSearch',
    tag: 'drop-in',
    summary: 'Search the web, as Linkup',
    about: 'For clients of Linkup; set their base URL to `/linkup/v1`.',
    price: '1 credit at any depth.',
    body: LinkupSearchBody,
    answer: SearchAnswer,
    errors: ['validation_error', 'recall_unavailable'],
    example: {
      body: { q: 'how does write-ahead logging work', depth: 'standard', outputType: 'searchResults' },
    },
  },
  'POST /linkup/v1/fetch': {
    id: 'linkupFetch',
    tag: 'drop-in',
    summary: 'Read one page, as Linkup',
    about:
      'Returns the page as Markdown. `includeRawHtml`, `includeRawContent` and `extractImages` have the page fetched; plain Markdown may come from the cache.',
    price: '1 credit.',
    body: LinkupFetchBody,
    answer: LinkupFetchAnswer,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed'],
    example: { body: { url: 'https://example.org/' } },
  },
  'GET /linkup/v1/credits/balance': {
    id: 'linkupBalance',
    tag: 'drop-in',
    summary: 'Get the credits of a key, as Linkup',
    about: 'The credits left on the calling key.',
    price: 'Free.',
    answer: LinkupBalance,
    errors: ['invalid_api_key'],
  },
};
