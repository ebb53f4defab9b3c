import type { UrlResolver } from './addresses.ts';
import type { PageFacts } from './page-facts.ts';

/** Addresses of alternates that an HTML page names for its text. */
export type Pointers = {
  /** True when the page shows next to nothing, because its scripts would fill it. */
  isShell: boolean;
  /** Addresses of `link rel=alternate`, absolute. */
  markdown: string | null;
  oembed: string | null;
  json: string[];
};

const JSON_MAX = 5;

/** Finds the alternates of a page: Markdown, oEmbed and JSON. */
export function findPointers({ linkTags }: PageFacts, resolve: UrlResolver): Omit<Pointers, 'isShell'> {
  const alternates = linkTags.filter(({ rel }) => /(?:^|\s)alternate(?:\s|$)/.test(rel));
  const resolveAlternates = (type: RegExp): string[] =>
    alternates
      .filter((link) => type.test(link.type.trim()))
      .map(({ href }) => resolve(href))
      .filter((url) => url !== null && /^https?:/.test(url)) as string[]; // the filter leaves texts
  return {
    markdown: resolveAlternates(/^text\/(?:x-)?markdown\b/i)[0] ?? null,
    oembed: resolveAlternates(/^(?:application|text)\/json\+oembed\b/i)[0] ?? null,
    json: resolveAlternates(/^application\/json$/i).slice(0, JSON_MAX),
  };
}
