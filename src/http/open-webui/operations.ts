import * as z from 'zod';
import type { Operation } from '../calls/operation.ts';
import { OpenWebuiLoadBody } from './load.ts';
import { OpenWebuiSearchBody } from './search.ts';

const SearchAnswer = z
  .array(
    z.object({
      link: z.string(),
      title: z.string(),
      snippet: z.string().meta({ description: 'A passage of the page as plain text; may be empty.' }),
    }),
  )
  .meta({ title: 'OpenWebuiResults' });

const LoadAnswer = z
  .array(
    z.object({
      page_content: z.string().meta({ description: 'The page as Markdown.' }),
      metadata: z.object({
        source: z.string().meta({ description: 'The URL of the page.' }),
        title: z.string(),
        author: z.string().optional(),
        published_date: z.string().optional(),
      }),
    }),
  )
  .meta({ title: 'OpenWebuiDocuments' });

/** The operations of Open WebUI's external search and loader. */
export const OPEN_WEBUI_OPERATIONS: Record<string, Operation> = {
  'POST /openwebui/search': {
    id: 'openWebuiSearch',
    tag: 'drop-in',
    summary: 'Search the web for Open WebUI',
    about: 'For its search engine `external`.',
    price: '1 credit.',
    body: OpenWebuiSearchBody,
    spelling: 'snake_case',
    answer: SearchAnswer,
    errors: ['validation_error', 'recall_unavailable'],
    example: { body: { query: 'how does write-ahead logging work', count: 3 } },
  },
  'POST /openwebui/load': {
    id: 'openWebuiLoad',
    tag: 'drop-in',
    summary: 'Read pages for Open WebUI',
    about:
      'For its web loader `external`: up to twenty pages as Markdown. Pages that do not load are left out.',
    price: '1 credit for each page that loads.',
    body: OpenWebuiLoadBody,
    spelling: 'snake_case',
    answer: LoadAnswer,
    errors: ['validation_error', 'url_not_allowed', 'fetch_failed'],
    example: { body: { urls: ['https://example.org/'] } },
  },
};
