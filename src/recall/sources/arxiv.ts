import { createPathReader } from '../../text/xml/path-reader.ts';
import { parseDay } from '../responses/answer-day.ts';
import { buildSourceAddress, buildSourceHeaders, cleanText, computeOffset } from '../responses/loose-json.ts';
import {
  type BadAnswer,
  createFailedAnswer,
  ENTRIES_MAX,
  judgeAnswer,
  SNIPPET_CHARS_MAX,
  TITLE_CHARS_MAX,
  tidyItems,
} from '../responses/read-json.ts';
import type { SourceAnswer, SourceQuery, SourceResponse, SourceSpec } from '../source.ts';

const COUNT_MAX = 25;
const KEYWORDS_MAX = 8;
/** Maximum words that must all match; of more words, as many as possible. */
const ALL_OF_MAX = 4;
const FIT_MIN = 0.4;

/** https://info.arxiv.org/help/api/user-manual.html */
export const arxiv: SourceSpec = {
  name: 'arxiv',
  about: 'preprints of physics, mathematics, computing and their neighbours',
  scope: 'field',
  hosts: ['arxiv.org'],
  terms: {
    url: 'https://info.arxiv.org/help/api/tou.html',
    note: 'metadata is CC0; one call every three seconds over one connection, by all your machines together',
  },
  needsConsent: false,
  key: null,
  base: { setting: 'ARXIV_URL', standard: 'https://export.arxiv.org' },
  rate: { calls: 1, perMs: 3_100, atOnce: 1 },
  queryMax: { chars: 300, words: 32 },
  mayBeCached: true,
  fit: ({ paper }) => (paper < FIT_MIN ? 0 : paper),
  request: (asked, { baseUrl, userAgent }) => ({
    url: buildSourceAddress(baseUrl, '/api/query', {
      search_query: buildSearchQuery(asked),
      start: computeOffset(asked, Math.min(asked.limit, COUNT_MAX)) ?? 0,
      max_results: Math.min(asked.limit, COUNT_MAX),
      sortBy: 'relevance',
      sortOrder: 'descending',
    }),
    headers: buildSourceHeaders(userAgent, 'application/atom+xml'),
  }),
  read: (response) => readAtom(response, { dayOf: parseDay, urlOf: (id) => id.replace(/^http:/, 'https:') }),
};

function buildSearchQuery({ query, publishedFrom, publishedTo }: SourceQuery): string {
  const words = query
    .keywords(KEYWORDS_MAX)
    .map((word) => word.replaceAll(/[^\p{L}\p{N} .-]+/gu, ' ').trim())
    .filter((word) => word !== '');
  const terms = words.map((word) => `all:${/[ .-]/.test(word) ? `"${word}"` : word}`);
  const topic = terms.join(terms.length <= ALL_OF_MAX ? ' AND ' : ' OR ');
  if (publishedFrom === null && publishedTo === null) return topic;
  const from = publishedFrom?.replaceAll('-', '') ?? '19900101';
  const to = publishedTo?.replaceAll('-', '') ?? '20991231';
  return `(${topic}) AND submittedDate:[${from}0000 TO ${to}2359]`;
}

type Entry = { id: string; title: string; summary: string; published: string };

type AtomReader = { dayOf(text: string): string | null; urlOf(id: string): string };

const FIELDS: ReadonlySet<string> = new Set([
  'id',
  'title',
  'summary',
  'published',
] satisfies (keyof Entry)[]);
const isField = (name: string): name is keyof Entry => FIELDS.has(name);
const FIELD_CHARS_MAX = 20_000;
/** arXiv reports an error as an entry with such an id (https://info.arxiv.org/help/api/user-manual.html, errors). */
const ERROR_ID = /\/api\/errors/;

/** Reads an answer in Atom. Never throws: anything else becomes a bad answer. */
function readAtom(response: SourceResponse, { dayOf, urlOf }: AtomReader): SourceAnswer {
  const bad = judgeAnswer(response, 'xml');
  if (bad !== null && response.status !== 400) return bad;
  const feed = parseFeed(response.body);
  const error = feed.entries.find(({ id }) => ERROR_ID.test(id));
  if (error !== undefined) return createEntryError(error);
  if (bad !== null) return bad;
  if (!feed.isWhole) return createFailedAnswer('broken Atom');
  const items = tidyItems(feed.entries, ({ id, title, summary, published }) => ({
    url: urlOf(id.trim()),
    title: cleanText(title, TITLE_CHARS_MAX),
    snippet: cleanText(summary, SNIPPET_CHARS_MAX),
    publishedDay: dayOf(published),
  }));
  if (items === null) return createFailedAnswer('the answer has an unexpected shape');
  return { kind: 'ok', items, proven: true, quotaLeft: null };
}

const createEntryError = ({ summary }: Entry): BadAnswer =>
  createFailedAnswer(cleanText(summary, 120) || 'an error entry');

/** Parses the entries of a feed; `isWhole` is true if the text is a complete feed. */
function parseFeed(text: string): { entries: Entry[]; isWhole: boolean } {
  const entries: Entry[] = [];
  let isFeed = false;
  let isWhole = false;
  const reader = createPathReader(
    {
      onOpen(path) {
        if (path.length === 1) isFeed = path[0] === 'feed';
        if (path.length === 2 && path[1] === 'entry' && entries.length < ENTRIES_MAX)
          entries.push({ id: '', title: '', summary: '', published: '' });
      },
      onText(path, piece) {
        const entry = entries.at(-1);
        const name = path[2] ?? '';
        if (entry === undefined || path[1] !== 'entry' || path.length !== 3 || !isField(name)) return;
        if (entry[name].length < FIELD_CHARS_MAX) entry[name] += piece;
      },
      onClose(path, isImplied) {
        if (path.length === 1 && isFeed && !isImplied) isWhole = true;
      },
    },
    (name) => name,
  );
  reader.write(text);
  reader.end();
  return { entries, isWhole };
}
