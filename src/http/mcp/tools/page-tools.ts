import type { JsonObject } from '../../calls/call.ts';
import { READ_FIELDS, READ_ONLY, type Tool } from '../tool.ts';
import {
  createFootnotes,
  joinSections,
  type PassageLinks,
  readField,
  readRecords,
  readTextField,
} from '../writing.ts';

/** The tool for GET /r/{url}. */
export const read: Tool = {
  name: 'read',
  title: 'Read a page',
  description: 'Read a page as Markdown; with question, only the relevant passages.',
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
  description: 'Read 1-10 pages as Markdown; with query, only the relevant passages.',
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
