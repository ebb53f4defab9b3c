import type { JsonObject } from '../../calls/call.ts';
import { type Arguments, READ_FIELDS, READ_ONLY, type Tool, type ToolArguments } from '../tool.ts';
import {
  createFootnotes,
  joinSections,
  type PassageLinks,
  readField,
  readRecords,
  readTextField,
  readTextList,
} from '../writing.ts';

/** The tool for GET /r/{url}. */
export const read: Tool = {
  name: 'read',
  title: 'Read a page',
  description: 'Read a page as Markdown, or what answers a question.',
  price: '1 credit.',
  fields: {
    url: { kind: 'text', required: true, aliases: ['urls', 'link', 'uri', 'href'] },
    question: { kind: 'text', aliases: ['q', 'query'] },
    engine: { kind: 'text', about: 'browser: run scripts' },
    ...READ_FIELDS,
  },
  annotations: READ_ONLY,
  call({ url, question, engine }) {
    const asked = question === undefined ? '' : `?q=${encodeArgument(question)}`;
    // Encoding the whole address keeps its own query apart from ours.
    const headers = engine === undefined ? {} : { headers: { 'x-engine': String(engine) } };
    return { method: 'GET', path: '/r', target: `/r/${encodeArgument(url)}${asked}`, ...headers };
  },
  write: (markdown, { url }) => ({ text: `URL: ${String(url)}\n\n${String(markdown)}` }),
};

/** The tool for POST /v1/contents. */
export const contents: Tool = {
  name: 'contents',
  title: 'Read several pages',
  description: 'Read 1-10 pages as Markdown, or what answers a query.',
  price: '1 credit per page loaded.',
  fields: {
    urls: {
      kind: 'list',
      required: true,
      separator: /\s+|,\s*(?=https?:)/,
      aliases: ['url', 'ids', 'links'],
    },
    query: { kind: 'text', aliases: ['q', 'question'] },
    ...READ_FIELDS,
  },
  annotations: READ_ONLY,
  call: ({ urls, query }) => ({
    method: 'POST',
    path: '/v1/contents',
    body: { urls, ...(query === undefined ? {} : { text: false, prunedContext: { query } }) },
  }),
  write(answer) {
    const failed = readRecords(answer, 'statuses').filter(
      (status) => readField(status, 'status') === 'error',
    );
    const footnotes = createFootnotes();
    const late = new Set(
      readRecords(readField(answer, 'service'), 'incompletePages').map((page) => readTextField(page, 'url')),
    );
    const pages = readRecords(answer, 'results').map((page) =>
      formatPage(page, { footnotes, isLate: late.has(readTextField(page, 'url')) }),
    );
    const text = joinSections([...failed.map(formatFailure), ...pages, footnotes.text()]);
    return pages.length === 0 ? { text: `${text}\n\n${NOTHING_LOADED}`, isFailure: true } : { text };
  },
};

const NOTHING_LOADED = 'No page loaded; try other addresses, or search for the topic';

/** Maximum passage links per page; each link quotes the beginning and end of its passage. */
const LINKS_MAX = 3;

function formatPage(
  page: JsonObject,
  { footnotes, isLate }: { footnotes: PassageLinks; isLate: boolean },
): string {
  const url = readTextField(page, 'url');
  const facts = [url, readTextField(page, 'publishedDate'), readTextField(page, 'author')];
  const marks = readRecords(page, 'prunedProofs')
    .slice(0, LINKS_MAX)
    .map((citation) => footnotes.mark(readTextField(citation, 'link'), url))
    .filter((mark) => mark !== '');
  const title = [readTextField(page, 'title') || '(no title)', ...marks].join(' ');
  const body = readTextField(page, 'prunedContext') || readTextField(page, 'text');
  return joinSections([
    `=== ${title}\n${facts.filter((fact) => fact !== '').join(' | ')}`,
    body !== ''
      ? body
      : isLate
        ? '(there was no time to search the page)'
        : '(nothing on the page is relevant to the query)',
  ]);
}

function formatFailure(status: JsonObject): string {
  const error = readField(status, 'error');
  const httpStatus = readTextField(error, 'httpStatusCode');
  return `Not loaded: ${readTextField(status, 'id')} (${readTextField(error, 'tag')}${httpStatus === '' ? '' : ` ${httpStatus}`})`;
}

/** Encodes a value for an address. Lone surrogates are replaced, and anything but text is written as JSON. */
function encodeArgument(value: unknown): string {
  return encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value ?? '')).toWellFormed());
}

const SITE_FIELDS = {
  url: { kind: 'text', required: true, aliases: ['urls', 'site', 'start_url'] },
  instructions: { kind: 'text', about: 'topic to keep', aliases: ['query', 'topic', 'question'] },
  limit: { kind: 'count', about: 'pages', aliases: ['max_pages', 'max_results', 'pages'] },
  max_depth: { kind: 'count', aliases: ['depth'] },
  select_paths: { kind: 'list', about: 'regexes', aliases: ['include_paths', 'paths'] },
  exclude_paths: { kind: 'list' },
  max_seconds: { kind: 'number', aliases: ['timeout'] },
  ...READ_FIELDS,
} as const satisfies ToolArguments;

/** Default number of pages: as many as an agent can read, not as many as a site has. */
const CRAWL_LIMIT = 10;
const MAP_LIMIT = 200;
/** Default time limit. Many clients give up after a minute. */
const SECONDS_DEFAULT = 50;

/** The tool for POST /shapeB/crawl. */
export const crawl: Tool = {
  name: 'crawl',
  title: 'Crawl a site',
  description: `Read the pages of a site as Markdown (${CRAWL_LIMIT} unless limit is given).`,
  price: '1 credit per page.',
  fields: SITE_FIELDS,
  annotations: READ_ONLY,
  isLong: true,
  call: (args) => ({ method: 'POST', path: '/shapeB/crawl', body: buildCrawlBody(args, CRAWL_LIMIT) }),
  write(answer) {
    const pages = readRecords(answer, 'results').map(
      (page) => `=== ${readTextField(page, 'url')}\n\n${readTextField(page, 'raw_content')}`,
    );
    return { text: pages.length === 0 ? 'No page of the site could be read.' : joinSections(pages) };
  },
};

/** The tool for POST /shapeB/map. */
export const map: Tool = {
  name: 'map',
  title: 'List a site',
  description: 'List the URLs of a site.',
  price: '1 credit.',
  fields: SITE_FIELDS,
  annotations: READ_ONLY,
  isLong: true,
  call: (args) => ({ method: 'POST', path: '/shapeB/map', body: buildCrawlBody(args, MAP_LIMIT) }),
  write(answer) {
    const urls = readTextList(answer, 'results');
    return { text: urls.length === 0 ? 'No URL of the site was found.' : urls.join('\n') };
  },
};

/** Builds the body of a crawl or map. Its time limit is called `timeout`. Agents want the site itself, not the sites it links to. */
function buildCrawlBody(args: Arguments, limitDefault: number): JsonObject {
  const { url, instructions, max_depth, select_paths, exclude_paths } = args;
  return {
    url,
    instructions,
    max_depth,
    select_paths,
    exclude_paths,
    limit: args.limit ?? limitDefault,
    timeout: args.max_seconds ?? SECONDS_DEFAULT,
    allow_external: false,
  };
}
