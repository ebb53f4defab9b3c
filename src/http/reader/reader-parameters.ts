import * as z from 'zod';
import { PAGE_TIMEOUT_MS } from '../../contract/limits.ts';
import { READ_ROUTES } from '../../pages/article.ts';
import { toCamelCase } from '../calls/json-body.ts';
import type { Parameter } from '../calls/operation.ts';

const createHeaderParameter = (name: string, about: string, schema: z.ZodType): Parameter => ({
  name,
  in: 'header',
  about,
  schema,
});
const flag = z.string().meta({ examples: ['true'] });
const count = z.number().min(1);

/** Headers that decide how a page is returned; body fields have corresponding names (`targetSelector`). */
export const READER_HEADERS: Parameter[] = [
  createHeaderParameter(
    'X-Return-Format',
    'markdown, html (the main content, sent as text) or text; where the service has a browser also screenshot (of a window) and pageshot (of the whole page), sent as PNG or as a `data:` address under `data.screenshotUrl` or `data.pageshotUrl`. Anything else counts as markdown.',
    z.string().meta({ examples: ['markdown', 'html', 'text', 'pageshot'] }),
  ),
  createHeaderParameter('X-Respond-With', 'The same under its newer name.', z.string()),
  createHeaderParameter(
    'X-Target-Selector',
    'CSS selectors of the elements to read instead of the main content.',
    z.string(),
  ),
  createHeaderParameter('X-Remove-Selector', 'CSS selectors of elements to leave out.', z.string()),
  createHeaderParameter('X-With-Comments', 'Also the comments below an article.', flag),
  createHeaderParameter(
    'X-With-Links-Summary',
    '`true` lists the links of the page at its end, or under `data.links`; `all` repeats those with the same text.',
    z.string().meta({ examples: ['true', 'all'] }),
  ),
  createHeaderParameter(
    'X-With-Images-Summary',
    'Lists the images of the page at its end, or under `data.images`.',
    flag,
  ),
  createHeaderParameter(
    'X-Engine',
    'browser reads the page after its scripts; direct never does; without the header a browser is used where the page is an empty shell otherwise. 422 for browser where the service has none.',
    z.string().meta({ examples: ['browser', 'direct'] }),
  ),
  createHeaderParameter(
    'X-Wait-For-Selector',
    'Where the service has a browser: a CSS selector that must match before the page is taken.',
    z.string(),
  ),
  createHeaderParameter('X-No-Cache', 'Fetches the page, whatever copy is kept.', flag),
  createHeaderParameter(
    'X-Cache-Tolerance',
    'Seconds that a kept copy may be old; 0 always fetches.',
    z.number().min(0),
  ),
  createHeaderParameter('X-Timeout', `Seconds for the fetch, at most ${PAGE_TIMEOUT_MS / 1_000}.`, count),
  createHeaderParameter(
    'X-Token-Budget',
    'Fails with 422 if the page has more tokens; the call is then free.',
    count,
  ),
  createHeaderParameter('X-Max-Tokens', 'Cuts the page after so many tokens.', count),
  createHeaderParameter('X-Max-Output-Tokens', 'The same under its other name.', count),
  createHeaderParameter(
    'X-Table',
    'One table of the page alone, by its number from 1; with `Accept: application/json` also as records under `data.table`. 422 if the page has fewer.',
    count,
  ),
  createHeaderParameter(
    'X-Table-Row',
    'With X-Table: its rows by number (`12`, `3-9`), or those of which a cell contains this text.',
    z.string().meta({ examples: ['12', '3-9', 'Rotterdam'] }),
  ),
  createHeaderParameter(
    'X-Table-Format',
    'With X-Table: csv instead of markdown.',
    z.string().meta({ examples: ['csv'] }),
  ),
  createHeaderParameter('X-Md-Heading-Style', 'atx, or setext for headings of two levels.', z.string()),
  createHeaderParameter('X-Md-Hr', 'How a rule is written, such as ***.', z.string()),
  createHeaderParameter('X-Md-Bullet-List-Marker', '-, * or +.', z.string()),
  createHeaderParameter('X-Md-Em-Delimiter', '* or _.', z.string()),
  createHeaderParameter('X-Md-Strong-Delimiter', '** or __.', z.string()),
  createHeaderParameter('X-Md-Link-Style', 'inlined, referenced or discarded.', z.string()),
  createHeaderParameter('X-Md-Link-Reference-Style', 'full or discarded.', z.string()),
  createHeaderParameter('X-Retain-Links', 'all, or text for their texts alone.', z.string()),
  createHeaderParameter('X-Retain-Images', 'all, alt for their texts alone, or none.', z.string()),
  createHeaderParameter(
    'X-Locale',
    'The language that the page is asked for in. The page is then kept for nobody.',
    z.string(),
  ),
];

const createCountHeader = (description: string, bounds: object = { minimum: 0 }) => ({
  description,
  required: true,
  schema: { type: 'integer', ...bounds },
});

/** Response headers of a page, for the OpenAPI document. */
export const READER_ANSWER_HEADERS = {
  'X-Token-Savings': createCountHeader(
    'Percent of the tokens that were saved: Markdown instead of HTML, or with `q` the parts instead of the whole page.',
    { minimum: 0, maximum: 100 },
  ),
  'X-Raw-Tokens': createCountHeader('Tokens before that, by ceil(characters / 4).'),
  'X-Output-Tokens': createCountHeader('Tokens of the response.'),
  'X-Completeness': {
    description:
      'How much of the structure that the page shows is in its text, kept of found: `tables=12/12, rows=340/340`. Absent where the text does not come from the markup of a web page, and where less than the whole page in Markdown was asked for.',
    schema: { type: 'string' },
  },
  Link: {
    description:
      'Where versions of the page are kept: the original, the TimeGate, the TimeMap and the memento of RFC 7089.',
    schema: { type: 'string' },
  },
  'Memento-Datetime': {
    description: 'When the version was first seen, if one was asked for.',
    schema: { type: 'string' },
  },
  'X-Reader-Route': {
    description: 'How the text was obtained.',
    schema: { type: 'string', enum: READ_ROUTES },
  },
};

export const tokenUsage = z.object({ tokens: z.int().min(0) });
const costDollars = z.object({ total: z.number() }).meta({ costs: true }).optional();
/** Fields of every JSON answer of the reader and its search. */
export const readerEnvelope = {
  code: z.literal(200),
  status: z.literal(20_000),
  meta: z.object({ usage: tokenUsage }),
  costDollars,
};

/** The JSON of a page, for `Accept: application/json`. */
export const ReaderAnswerBody = z
  .object({
    ...readerEnvelope,
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
      table: z
        .object({
          columns: z
            .array(z.string())
            .meta({ description: 'Their names, each once; `column 3` for one without.' }),
          records: z
            .array(z.record(z.string(), z.string()))
            .meta({ description: 'The rows, cells by column.' }),
        })
        .optional()
        .meta({ description: 'With X-Table: its rows by the names of its columns.' }),
      links: z.union([z.record(z.string(), z.string()), z.array(z.array(z.string()))]).optional(),
      images: z.record(z.string(), z.string()).optional(),
      usage: tokenUsage,
    }),
  })
  .meta({ title: 'ReaderAnswer' });

/** `X-Target-Selector` -> `targetSelector` */
export const FIELD_NAMES: string[] = READER_HEADERS.map(({ name }) =>
  toCamelCase(name.slice(2).toLowerCase().replaceAll('-', '_')),
);
