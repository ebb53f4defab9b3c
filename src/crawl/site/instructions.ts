import { readResultQuery } from '../../text/query/result-query.ts';
import { wordsOf } from '../../text/words/words.ts';

/** What a caller says in words of the pages to choose, read as the words that such pages have. */
export type Instructions = {
  /** The words in one text, as a query for passages. */
  query: string;
  /** How much of the weight of the words a short text (a title, an address, the text of a link) has, 0..1. */
  coverage(text: string): number;
};

/** Said to whoever fetches pages, and not of the pages. */
const ORDERS = new Set(
  'find get list show give extract crawl map search look looking return collect fetch visit explore all every any only page pages site website web information content contents about related regarding concerning please want need me'.split(
    ' ',
  ),
);

/** Null when nothing is asked for. */
export function readInstructions(text: string): Instructions | null {
  const said = text.match(/\S+/g) ?? [];
  const telling = said.filter((word) => !ORDERS.has(word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')));
  const query = (telling.length > 0 ? telling : said).join(' ');
  const { terms } = readResultQuery(query);
  if (terms.size === 0) return null;
  return {
    query,
    coverage(short) {
      const words = new Set(wordsOf(short, null));
      let covered = 0;
      for (const [term, weight] of terms) if (words.has(term)) covered += weight;
      return covered;
    },
  };
}

/** An address as words: the escapes undone, the host left out. */
export function wordsOfAddress(url: string): string {
  const { pathname, search } = new URL(url);
  const text = pathname + search;
  try {
    return decodeURIComponent(text).replace(/[/_\-.?=&+]+/g, ' ');
  } catch {
    return text.replace(/[/_\-.?=&+]+/g, ' ');
  }
}

const LINK = /\[([^[\]\n]{1,200})\]\((https?:[^\s()]{1,2000})/g;
const MARKDOWN_CHARS_MAX = 300_000;

/** Text of each link of a page's main content, by the address as it stands there. */
export function linkTexts(markdown: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [, text = '', url = ''] of markdown.slice(0, MARKDOWN_CHARS_MAX).matchAll(LINK)) {
    if (!texts.has(url)) texts.set(url, text);
  }
  return texts;
}
