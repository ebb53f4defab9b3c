import * as z from 'zod';
import type { Operation } from '../calls/operation.ts';
import { PerplexitySearchBody } from './fields.ts';

const SearchAnswer = z
  .object({
    results: z.array(
      z.object({
        title: z.string(),
        url: z.string(),
        snippet: z.string().meta({ description: 'Passages of the page as Markdown.' }),
        date: z.string().nullable().meta({ description: 'YYYY-MM-DD, or null when unknown.' }),
        last_updated: z.string().nullable(),
      }),
    ),
    id: z.string(),
    server_time: z.string().optional(),
  })
  .meta({ title: 'PerplexityAnswer' });

/** The operation of Perplexity's search. */
export const PERPLEXITY_OPERATIONS: Record<string, Operation> = {
  'POST /pplx/search': {
    id: 'perplexitySearch',
    tag: 'drop-in',
    summary: 'Search the web, as Perplexity',
    about:
      'For clients of the Perplexity Search API; set their base URL to `/pplx`. Results of several queries come in turns, each page once.',
    price: '1 credit for each query.',
    body: PerplexitySearchBody,
    spelling: 'snake_case',
    answer: SearchAnswer,
    errors: ['validation_error', 'recall_unavailable'],
    example: { body: { query: 'how does write-ahead logging work', max_results: 3 } },
  },
};
