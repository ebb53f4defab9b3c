import type { Resolve } from './addresses.ts';
import type { PageFacts } from './page-facts.ts';

/** What an HTML page says of other addresses that hold its text. */
export type Pointers = {
  /** It shows next to nothing, and its scripts would fill it. */
  isShell: boolean;
  /** Addresses of `link rel=alternate`, absolute. */
  markdown: string | null;
  oembed: string | null;
  json: string[];
};

const JSON_MAX = 5;

/** The addresses that a page names as other forms of itself. */
export function pointersOf({ linkTags }: PageFacts, resolve: Resolve): Omit<Pointers, 'isShell'> {
  const alternates = linkTags.filter(({ rel }) => /(?:^|\s)alternate(?:\s|$)/.test(rel));
  const ofType = (type: RegExp): string[] =>
    alternates
      .filter((link) => type.test(link.type.trim()))
      .map(({ href }) => resolve(href))
      .filter((url) => url !== null && /^https?:/.test(url)) as string[]; // the filter leaves texts
  return {
    markdown: ofType(/^text\/(?:x-)?markdown\b/i)[0] ?? null,
    oembed: ofType(/^(?:application|text)\/json\+oembed\b/i)[0] ?? null,
    json: ofType(/^application\/json$/i).slice(0, JSON_MAX),
  };
}
