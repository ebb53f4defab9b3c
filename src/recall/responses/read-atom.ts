import { createPathReader } from '../../text/xml/path-reader.ts';
import type { SourceAnswer, SourceResponse } from '../source.ts';
import { cleanText } from './loose-json.ts';
import {
  type BadAnswer,
  createFailedAnswer,
  ENTRIES_MAX,
  judgeAnswer,
  SNIPPET_CHARS_MAX,
  TITLE_CHARS_MAX,
  tidyItems,
} from './read-json.ts';

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
export function readAtom(response: SourceResponse, { dayOf, urlOf }: AtomReader): SourceAnswer {
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
