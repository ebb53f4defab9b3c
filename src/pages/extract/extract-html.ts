import type { Article, ReadRoute } from '../article.ts';
import { chooseContent } from './content/choose-content.ts';
import { commentTexts } from './content/comments.ts';
import type { ExtrasWanted, PageExtras } from './extras/extras-types.ts';
import { takeExtras } from './extras/take-extras.ts';
import { hasEmptyMount } from './hydration/page-states.ts';
import { textInData } from './hydration/text-in-data.ts';
import { type Written, writeMarkdown } from './markdown/write-markdown.ts';
import { declaredUrlOf, linksOf, type Resolve, resolversFor } from './metadata/addresses.ts';
import { authorOf } from './metadata/author.ts';
import { type PageFacts, pageFacts } from './metadata/page-facts.ts';
import { declaredIcon, declaredImage } from './metadata/pictures.ts';
import { firstMeta, metaOf } from './metadata/plain.ts';
import { type Pointers, pointersOf } from './metadata/pointers.ts';
import { robotsInSource, robotsOf } from './metadata/robots-directives.ts';
import { languageOf, siteOf } from './metadata/site.ts';
import { titleOf } from './metadata/title.ts';
import { parseTree } from './parse/parse-tree.ts';
import { withProduct } from './product/product-part.ts';
import { changedDate, publishedDate } from './published-date.ts';
import { isElement, type Tree, type TreeElement } from './tree.ts';

/** Shorter Markdown may be only the shell of a page whose text is in its data. */
const SHELL_CHARS_MAX = 250;
/** What stands around an element that is still empty, such as menus and notices, is no longer than this, and the data have more. */
const AROUND_CHARS_MAX = 1_000;
const MORE = 2;

/**
 * Extracts the article from the decoded HTML at `url`. `markdown` is '' if the page has nothing readable; the caller decides
 * what that means.
 */
export function extractHtml(html: string, url: string): Article {
  return extractWithExtras(html, url, null).article;
}

/** As `extractHtml`, and what else is wanted of the page. No later day than `lastDay` (YYYY-MM-DD) is taken for a date of the page. */
export function extractWithExtras(
  html: string,
  url: string,
  wanted: ExtrasWanted | null,
  lastDay: string | null = null,
): { article: Article; pointers: Pointers; extras?: PageExtras } {
  const tree = parseTree(html);
  const facts = pageFacts(tree);
  const { absolute, resolve } = resolversFor(facts, url);
  const { view } = chooseContent(tree, { url });
  const { markdown, headings, readRoute } = written(tree, facts, { url, resolve });
  const site = siteOf(facts);
  const published = publishedDate(facts, url, lastDay);
  const article: Article = {
    url,
    canonicalUrl: declaredUrlOf(facts, url, resolve),
    kind: 'html',
    readRoute,
    title: titleOf(facts, { site, url }),
    author: authorOf(facts, site),
    site,
    language: languageOf(facts),
    published,
    modified: changedDate(facts, published, lastDay),
    description: firstMeta(facts, ['og:description', 'description', 'twitter:description', 'dc.description']),
    meta: metaOf(facts),
    image: declaredImage(facts, resolve),
    favicon: declaredIcon(facts, resolve),
    headings,
    markdown,
    links: linksOf(facts, absolute),
    robots: tree.truncated ? robotsInSource(html) : robotsOf(facts),
    rawChars: html.length,
  };
  const isShell = readRoute === 'html' && isShellOf(markdown, tree);
  const pointers = { isShell, ...pointersOf(facts, resolve) };
  if (wanted === null) return { article, pointers };
  const page = { tree, comments: commentTexts(view), resolve, html, markdown };
  return { article, pointers, extras: takeExtras(page, wanted) };
}

function written(
  tree: Tree,
  facts: PageFacts,
  place: { url: string; resolve: Resolve },
): Written & { readRoute: ReadRoute } {
  const readRoute = isMostlyNoscript(tree.root) ? 'noscript' : 'html';
  const shown = { ...writeMarkdown(tree, place.resolve), readRoute } as const;
  const { length } = shown.markdown;
  const isShell = length <= SHELL_CHARS_MAX;
  const shop = { tree, facts, resolve: place.resolve };
  if (!isShell && !isShellOf(shown.markdown, tree)) return withProduct(shown, shop);
  const inData = textInData(tree, facts, place);
  const least = length * (isShell ? 1 : MORE);
  if (inData !== null && inData.markdown.length > least) return inData;
  return withProduct(shown, shop);
}

/** Whether what is shown is only what stands around an element that scripts would fill. */
const isShellOf = ({ length }: string, tree: Tree): boolean =>
  length <= AROUND_CHARS_MAX && hasEmptyMount(tree.root);

/** Whether most of the kept text is for readers without scripts. */
function isMostlyNoscript(root: TreeElement): boolean {
  let within = 0;
  const waiting = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (element.tag === 'noscript') within += keptChars(element);
    else for (const child of element.children) if (child.kept && isElement(child)) waiting.push(child);
  }
  return within > 0 && within > keptChars(root) / 2;
}

function keptChars(root: TreeElement): number {
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
