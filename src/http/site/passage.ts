import { plainText } from '../../text/words/plain-text.ts';
import { isStopWord } from '../../text/words/stop-words.ts';
import { type Html, html } from './html.ts';

const PASSAGE_CHARS_MAX = 320;
/** Shorter words are too common to mark. */
const MARKED_CHARS_MIN = 3;
const MARKED_WORDS_MAX = 32;

/** A piece of Markdown as one paragraph of text, cut at a word, with the query's words marked. */
export function passage(markdown: string, query: string): Html {
  const text = plainText(withoutHeadings(markdown))
    .replace(/^[ \t]*(?:#{1,6}|>|[-+]|\d{1,3}\.)[ \t]+/gm, '')
    .replace(/\|/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return marked(cutAtWord(text), query);
}

/** Drops headings, which say little beside the page's title, unless there is nothing else. */
function withoutHeadings(markdown: string): string {
  const text = markdown.replace(/^#{1,6} .*$/gm, '');
  return text.trim() === '' ? markdown : text;
}

function cutAtWord(text: string): string {
  if (text.length <= PASSAGE_CHARS_MAX) return text;
  const cut = text.slice(0, PASSAGE_CHARS_MAX);
  const space = cut.lastIndexOf(' ');
  return `${(space > PASSAGE_CHARS_MAX / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, '')}…`;
}

function marked(text: string, query: string): Html {
  const words = (query.match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => word.length >= MARKED_CHARS_MIN && !isStopWord(word.toLowerCase()))
    .slice(0, MARKED_WORDS_MAX);
  if (words.length === 0) return html`${text}`;
  const parts = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu'));
  // The captured words are at the odd indexes.
  return html`${parts.map((part, place) => (place % 2 === 1 ? html`<mark>${part}</mark>` : part))}`;
}
