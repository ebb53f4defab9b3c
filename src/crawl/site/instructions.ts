import { readQuery } from '../../text/query/read-query.ts';
import { tokenizeWords } from '../../text/words/words.ts';

/** A caller's description of the wanted pages, reduced to search words. */
export type Instructions = {
  /** The words as a query for passages. */
  query: string;
  /** Returns the share of the words' weight that a short text (a title, an address, the text of a link) contains, 0..1. */
  coverage(text: string): number;
};

/** Words addressed to the crawler rather than about the pages. */
const COMMAND_WORDS = new Set(
  'find get list show give extract crawl map search look looking return collect fetch visit explore all every any only page pages site website web information content contents about related regarding concerning please want need me'.split(
    ' ',
  ),
);

/** Returns null if the text has no words to look for. */
export function parseInstructions(text: string): Instructions | null {
  const all = text.match(/\S+/g) ?? [];
  const meaningful = all.filter(
    (word) => !COMMAND_WORDS.has(word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')),
  );
  const query = (meaningful.length > 0 ? meaningful : all).join(' ');
  const { terms } = readQuery(query).forResults();
  if (terms.size === 0) return null;
  return {
    query,
    coverage(short) {
      const words = new Set(tokenizeWords(short, null));
      let covered = 0;
      for (const [term, weight] of terms) if (words.has(term)) covered += weight;
      return covered;
    },
  };
}

/** Returns the path and query of an address as words, unescaped. */
export function extractAddressWords(url: string): string {
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

/** Returns the text of each link in a page's Markdown, by the address as written. */
export function extractLinkTexts(markdown: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [, text = '', url = ''] of markdown.slice(0, MARKDOWN_CHARS_MAX).matchAll(LINK)) {
    if (!texts.has(url)) texts.set(url, text);
  }
  return texts;
}
