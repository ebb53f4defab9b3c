/**
 * Entry point of HTML extraction: turns decoded HTML into an article (Markdown and metadata) and the extras that a caller asks for.
 * It parses the page once, chooses its main content, and falls back to the data that the page carries for its scripts when the
 * body is nearly empty. It fetches nothing, runs no script and reads no clock; hostile pages cost bounded work.
 */
import type { Article, ReadRoute } from '../article.ts';
import { measureCompleteness } from './completeness.ts';
import { chooseContent } from './content/choose-content.ts';
import { collectCommentTexts } from './content/comments.ts';
import type { OperatorRule } from './content/rules/operator-rules.ts';
import type { ExtrasRequest, PageExtras } from './extras/map-fields.ts';
import { takeExtras } from './extras/take-extras.ts';
import { hasEmptyMount } from './hydration/page-states.ts';
import { findTextInData } from './hydration/text-in-data.ts';
import { type MarkdownWithHeadings, writeMarkdown } from './markdown/write-markdown.ts';
import {
  collectPageLinks,
  createUrlResolvers,
  findDeclaredUrl,
  findPointers,
  type Pointers,
  type UrlResolver,
} from './metadata/addresses.ts';
import { collectMeta, findAuthor, readFirstMeta } from './metadata/author.ts';
import { collectPageFacts, type PageFacts } from './metadata/page-facts.ts';
import { findDeclaredIcon, findDeclaredImage } from './metadata/pictures.ts';
import { readRobotsMeta, scanRobotsMeta } from './metadata/robots-directives.ts';
import { findLanguage, findSiteName } from './metadata/site.ts';
import { chooseTitle } from './metadata/title.ts';
import { parseTree } from './parse/build-tree.ts';
import { appendProductPart } from './product/product-part.ts';
import { findModifiedDate, findPublishedDate } from './published-date.ts';
import { isElement, type Tree, type TreeElement } from './table-shape.ts';

/** Markdown up to this length may be only the shell of a page whose text is in its data. */
const SHELL_CHARS_MAX = 250;
/** Maximum length of the menus and notices around an element that scripts would fill. */
const AROUND_CHARS_MAX = 1_000;
/** Markdown longer than a shell's is replaced only by a text in the data that is longer by more than this factor. */
const MORE = 2;

/**
 * Extracts the article from the decoded HTML of `url`. `markdown` is '' when the page has nothing readable; the caller decides
 * what that means.
 */
export function extractHtml(html: string, url: string): Article {
  return extractWithExtras(html, url, null).article;
}

/**
 * Extracts the article, the addresses of its alternates and, unless `wanted` is null, the extras. Dates after `lastDay` (YYYY-MM-DD)
 * are ignored. `rule`: the operator's for the site.
 */
export function extractWithExtras(
  html: string,
  url: string,
  wanted: ExtrasRequest | null,
  { lastDay = null, rule = null }: { lastDay?: string | null; rule?: OperatorRule | null } = {},
): { article: Article; pointers: Pointers; extras?: PageExtras } {
  const tree = parseTree(html);
  const facts = collectPageFacts(tree);
  const { absolute, resolve } = createUrlResolvers(facts, url);
  const { view, kept } = chooseContent(tree, { url, rule });
  const { markdown, headings, readRoute } = chooseMarkdown(tree, facts, { url, resolve });
  const site = findSiteName(facts);
  const published = findPublishedDate(facts, url, lastDay);
  const article: Article = {
    url,
    canonicalUrl: findDeclaredUrl(facts, url, resolve),
    kind: 'html',
    readRoute,
    title: chooseTitle(facts, { site, url }),
    author: findAuthor(facts, site),
    site,
    language: findLanguage(facts),
    published,
    modified: findModifiedDate(facts, published, lastDay),
    description: readFirstMeta(facts, [
      'og:description',
      'description',
      'twitter:description',
      'dc.description',
    ]),
    meta: collectMeta(facts),
    image: findDeclaredImage(facts, resolve),
    favicon: findDeclaredIcon(facts, resolve),
    headings,
    markdown,
    links: collectPageLinks(facts, absolute),
    robots: tree.truncated ? scanRobotsMeta(html) : readRobotsMeta(facts),
    rawChars: html.length,
    ...(readRoute === 'html' ? { completeness: measureCompleteness(view, kept, markdown) } : {}),
  };
  const isShell = readRoute === 'html' && isShellPage(markdown, tree);
  const pointers = { isShell, ...findPointers(facts, resolve) };
  if (wanted === null) return { article, pointers };
  const page = { tree, comments: collectCommentTexts(view), resolve, html, markdown };
  return { article, pointers, extras: takeExtras(page, wanted) };
}

function chooseMarkdown(
  tree: Tree,
  facts: PageFacts,
  place: { url: string; resolve: UrlResolver },
): MarkdownWithHeadings & { readRoute: ReadRoute } {
  const readRoute = isMostlyNoscript(tree.root) ? 'noscript' : 'html';
  const shown = { ...writeMarkdown(tree, place.resolve), readRoute } as const;
  const { length } = shown.markdown;
  const isShell = length <= SHELL_CHARS_MAX;
  const shop = { tree, facts, resolve: place.resolve };
  if (!isShell && !isShellPage(shown.markdown, tree)) return appendProductPart(shown, shop);
  const inData = findTextInData(tree, facts, place);
  const least = length * (isShell ? 1 : MORE);
  if (inData !== null && inData.markdown.length > least) return inData;
  return appendProductPart(shown, shop);
}

/** Returns whether the page shows only what surrounds an element that scripts would fill. */
const isShellPage = ({ length }: string, tree: Tree): boolean =>
  length <= AROUND_CHARS_MAX && hasEmptyMount(tree.root);

/** Returns whether most of the kept text is in `noscript`. */
function isMostlyNoscript(root: TreeElement): boolean {
  let within = 0;
  const waiting = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element.tag === 'noscript') within += countKeptChars(element);
    else for (const child of element.children) if (child.kept && isElement(child)) waiting.push(child);
  }
  return within > 0 && within > countKeptChars(root) / 2;
}

function countKeptChars(root: TreeElement): number {
  let chars = 0;
  const waiting = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    for (const child of element.children) {
      if (!child.kept) continue;
      if (isElement(child)) waiting.push(child);
      else chars += child.text.trim().length;
    }
  }
  return chars;
}
