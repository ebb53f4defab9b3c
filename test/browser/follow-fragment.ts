import type { Page } from 'puppeteer-core';
import { toPlainPage } from '../../src/text/markup/visible-text.ts';

/** Space above and below each page in pixels, so that a fragment that is found always scrolls. */
const SPACE_PX = 4_000;
const VIEW = { width: 1_000, height: 1_600 };
const PICTURE = /!\[[^\]\n]*\]\([^)\n]*\)/g;
/** Share of the words of a quotation that must be in view: marks of callouts and lists are no text of the page. */
const SEEN_SHARE_MIN = 0.8;

/** Scripts that run inside the page: it makes room around its text; waits for its layout; reads how far it is scrolled, and the text in view. */
const MAKE_ROOM = `
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('html { padding-block: ${SPACE_PX}px !important; scroll-behavior: auto !important }');
  document.adoptedStyleSheets = [sheet];`;
const WAIT_FOR_LAYOUT =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))';
const READ_VIEW = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const seen = [];
  while (walker.nextNode()) {
    range.selectNodeContents(walker.currentNode);
    const { top, bottom } = range.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight) seen.push(walker.currentNode.nodeValue);
  }
  return [scrollY, seen.join('') + ' ' + seen.join(' ')];
})()`;

/** Prepares a tab for `followFragment`. */
export async function prepareTab(page: Page): Promise<void> {
  await page.setViewport(VIEW);
  await page.evaluateOnNewDocument(MAKE_ROOM);
}

/**
 * Follows a text-fragment link as a reader does. Returns whether the browser found its text, and scrolled to the quotation (Markdown):
 * a fragment that is not found leaves the page at its top.
 */
export async function followFragment(
  page: Page,
  { link, quotation }: { link: string; quotation: string },
): Promise<boolean> {
  // Another fragment of the same page would be no navigation.
  await page.goto('about:blank');
  await page.goto(link, { waitUntil: 'load' });
  await page.evaluate(WAIT_FOR_LAYOUT);
  const [top, seen] = (await page.evaluate(READ_VIEW)) as [top: number, seen: string];
  const shown = new Set(listWords(seen));
  const words = listWords(toPlainPage(quotation.replace(PICTURE, '')));
  const share = words.filter((word) => shown.has(word)).length / Math.max(1, words.length);
  return top > 0 && share >= SEEN_SHARE_MIN;
}

const listWords = (text: string): string[] =>
  text
    .replaceAll('\u00ad', '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
