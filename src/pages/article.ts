import { chunkPage } from '../text/chunk/known-chunks.ts';
import { guessLanguage } from '../text/words/guess-language.ts';
import type { Completeness } from './extract/completeness.ts';
import type { PageExtras } from './extract/extras/map-fields.ts';

/** Maximum characters from which the language of a page is guessed. */
const GUESS_CHARS_MAX = 300_000;

/** The place where a published date was found. */
type DateSource = 'json-ld' | 'meta' | 'time' | 'url' | 'text' | 'script' | 'feed' | 'import' | 'api';
export type PublishedDate = { day: string; from: DateSource };

export type ArticleKind = 'html' | 'text' | 'markdown' | 'json' | 'feed' | 'document';

/**
 * The ways in which the text of a page can be obtained: by its kind; from other data in an HTML page; from another address that stands
 * for the page; by a browser; or as the index kept it.
 */
export const READ_ROUTES = [
  ...(['html', 'text', 'markdown', 'json', 'feed', 'document'] as const satisfies ArticleKind[]),
  ...(['hydration', 'json-ld', 'noscript'] as const),
  ...(['twin', 'oembed', 'api'] as const),
  ...(['browser', 'index'] as const),
] as const;
export type ReadRoute = (typeof READ_ROUTES)[number];

/** A page as Markdown with its metadata. Plain data: it is stored as JSON and sent between threads. */
export type Article = {
  /** The address the text was read from (after redirects). */
  url: string;
  /** The address that the page declares for itself if it is on the same site, else `url`; without a fragment. */
  canonicalUrl: string;
  kind: ArticleKind;
  /** Absent: by its kind. */
  readRoute?: ReadRoute;
  title: string;
  author: string | null;
  site: string | null;
  /** BCP 47 primary language subtag in lower case, such as "en". */
  language: string | null;
  /** The language of the text, decided at extraction: the declared one, else a guess. Absent in articles that an earlier version stored. */
  textLanguage?: string | null;
  published: PublishedDate | null;
  /** The day of the last change that the page declares or shows. Absent if unknown, as in articles that an earlier version stored. */
  modified?: PublishedDate | null;
  description: string | null;
  /** The `meta` elements of the page by lower-case name, without the names of viewports and verifications. Absent if unknown. */
  meta?: Record<string, string>;
  /** The picture and the icon that the page declares. Absent if unknown, as in articles that an earlier version stored. */
  image?: string | null;
  favicon?: string | null;
  /** Text of the headings of the main content in page order. */
  headings: string[];
  markdown: string;
  /** Absolute http(s) links of the whole page, including menus, without fragments and duplicates; nofollow links are left out. */
  links: string[];
  /** The page's robots directives, from its markup or its headers. */
  robots: { index: boolean; follow: boolean };
  /** Characters of the decoded source, for the token figures. */
  rawChars: number;
  /** Structure that the page shows and how much of it `markdown` has. Absent where the text does not come from the page's own markup. */
  completeness?: Completeness;
};

/** Returns how the text of an article was obtained. */
export function resolveReadRoute({ readRoute, kind }: Article): ReadRoute {
  return readRoute ?? kind;
}

/** Returns the Markdown of an article and the language of its text; null when unknown. */
export function toPageText({ markdown, language, textLanguage }: Article): {
  markdown: string;
  language: string | null;
} {
  return { markdown, language: textLanguage ?? language };
}

export type CacheState = 'miss' | 'hit' | 'stale';

/** Why a page may not be shared between callers. */
export type PrivateReason =
  | 'secret_in_address'
  /** The caller sent headers of its own. */
  | 'own_headers'
  | 'no_store'
  | 'private'
  | 'varies'
  | 'noindex';

/** `addresses`: the addresses whose responses must not be shared; empty where only this response is private. */
export type Privacy = { reason: PrivateReason; addresses: string[] };

/**
 * An opened page: its article, when it was fetched (ms since the epoch) and how the cache served it. A page with a
 * `privacy` is only for the caller who read it: no index, cache or stored answer may contain it.
 */
export type Page = {
  article: Article;
  fetchedAt: number;
  cache: CacheState;
  privacy: Privacy | null;
  /** Present if extras were wanted. */
  extras?: PageExtras;
};

/** Decides the language of the text once, for every later reader, and drops dates after `lastDay` (YYYY-MM-DD), which cannot be right. */
export function finishArticle(article: Article, lastDay: string | null): Article {
  const { language, markdown, published, modified } = article;
  const guessTextLanguage = (): string | null => guessLanguage(chunkPage(markdown.slice(0, GUESS_CHARS_MAX)));
  const dropFutureDate = (date: PublishedDate | null): PublishedDate | null =>
    date === null || (lastDay !== null && date.day > lastDay) ? null : date;
  return {
    ...article,
    textLanguage: language ?? guessTextLanguage(),
    published: dropFutureDate(published),
    ...(modified === undefined ? {} : { modified: dropFutureDate(modified) }),
  };
}
