import { getDomainWithoutSuffix } from 'tldts';
import { collapse } from '../markdown/inline/escape-text.ts';
import { readTextBelow } from '../markdown/tags.ts';
import { isElement, type TreeElement } from '../table-shape.ts';
import { readFirstMeta, toPlainText } from './author.ts';
import { filterArticles, readLdText } from './json-ld.ts';
import type { PageFacts } from './page-facts.ts';

const SEPARATOR = /\s+[|\-–—·•»«:›/\\]+\s+|\s*[|»]\s*|(?<=\S):\s+(?=\S)/;
const TITLE_CHARS_MAX = 400;
/** Maximum characters read of a declared title, which may contain the site's name. */
const DECLARED_CHARS_MAX = 1_000;

/** Chooses the title of the page's text, without the name of its site; '' when the page has none. */
export function chooseTitle(facts: PageFacts, page: { site: string | null; url: string }): string {
  const { own: h1, themes } = findMainHeadings(facts);
  const declared = [
    readFirstMeta(facts, [
      'og:title',
      'twitter:title',
      'dc.title',
      'citation_title',
      'parsely-title',
      'sailthru.title',
    ]),
    toPlainText(readLdText(filterArticles(facts.jsonLd)[0]?.headline)),
    toPlainText(facts.titleTag),
  ]
    .filter((title) => title !== null)
    .map((title) => title.slice(0, DECLARED_CHARS_MAX));
  const names = [page.site, getDomainWithoutSuffix(page.url), ...themes]
    .filter((name) => name !== null)
    .map(toLetterKey);
  for (const title of declared) {
    const stripped = stripSite(title, { names, h1, others: declared });
    if (stripped === '' || isName(stripped, names)) continue;
    // When both mean the same, prefer the heading: readers see it, and the declared title is worded for search engines.
    return clip(h1 !== null && isSameSubject(h1, stripped) ? h1 : stripped);
  }
  return clip(h1 ?? declared[0] ?? themes[0] ?? '');
}

/** Returns whether two titles share most of their words. */
function isSameSubject(one: string, other: string): boolean {
  const [few = [], many = []] = [splitWords(one), splitWords(other)].sort((a, b) => a.length - b.length);
  const shared = few.filter((word) => many.includes(word)).length;
  return few.length >= WORDS_MIN && shared >= few.length * SHARED_MIN && shared >= many.length * COVERED_MIN;
}
const WORDS_MIN = 3;
const SHARED_MIN = 0.5;
const COVERED_MIN = 0.3;
const splitWords = (text: string): string[] =>
  text
    .slice(0, TITLE_CHARS_MAX)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Strips a part at either end only on evidence: it is the site's name, or the rest appears as a title elsewhere. */
function stripSite(
  title: string,
  evidence: { names: string[]; h1: string | null; others: string[] },
): string {
  const parts = title.split(SEPARATOR).map((part) => part.trim());
  if (parts.length < 2) return title;
  const last = parts.at(-1) ?? '';
  const first = parts[0] ?? '';
  const head = title.slice(0, title.lastIndexOf(last)).replace(TRAILING_SEPARATOR, '');
  const tail = title.slice(title.indexOf(first) + first.length).replace(LEADING_SEPARATOR, '');
  const known = [evidence.h1, ...evidence.others]
    .filter((one) => one !== null && one !== title)
    .map((one) => toLetterKey(one ?? ''));
  if (known.includes(toLetterKey(head))) return head;
  if (known.includes(toLetterKey(tail))) return tail;
  if (isName(last, evidence.names)) return head;
  if (isName(first, evidence.names)) return tail;
  const h1 = evidence.h1 === null ? '' : toLetterKey(evidence.h1);
  // A bar separates the name of a site or section when the part after it is the shorter one.
  const bar = title.lastIndexOf(' | ');
  if (bar >= BEFORE_BAR_MIN && title.length - bar - BAR_CHARS < bar) return title.slice(0, bar).trim();
  if (h1.length > 10 && parts.length > 2 && toLetterKey(title).startsWith(h1)) return evidence.h1 ?? title;
  return title;
}
const BEFORE_BAR_MIN = 12;
const BAR_CHARS = 3;
const TRAILING_SEPARATOR = /\s*[|\-–—·•»«:›/\\]+\s*$/;
const LEADING_SEPARATOR = /^\s*[|\-–—·•»«:›/\\]+\s*/;

/** Returns whether a part of a title is the site's name or begins with the name of its domain. */
function isName(text: string, names: string[]): boolean {
  const part = toLetterKey(text);
  return names.some((name) => {
    if (name.length < 3 || part === '') return false;
    return (
      part === name ||
      part === `the${name}` ||
      name === `the${part}` ||
      `${part}com` === name ||
      (part.startsWith(name) && part.length < name.length + 15)
    );
  });
}

const toLetterKey = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Finds the page's own `h1`, and those of its theme before it, which only link to the start of the site or manual. */
function findMainHeadings({ headings }: PageFacts): { own: string | null; themes: string[] } {
  const mains = headings.flatMap((element) => {
    const text =
      element.tag === 'h1'
        ? toPlainText(collapse(readTextBelow(element, false)).replace(/[¶#]\s*$/, ''))
        : null;
    return text === null ? [] : [{ element, text, leadsAway: isHomeLink(element) }];
  });
  const own = mains.find((main) => !main.leadsAway) ?? null;
  if (own === null) {
    const known = headings.find(({ tag, kept }) => tag === 'h2' && kept);
    const only = mains[0]?.text ?? null;
    return known === undefined
      ? { own: only, themes: [] }
      : { own: null, themes: mains.map(({ text }) => text) };
  }
  const before = mains.slice(0, mains.indexOf(own));
  return { own: own.text, themes: before.map(({ text }) => text) };
}

/** Returns whether a heading is only a link to the start of a site or manual. */
function isHomeLink(heading: TreeElement): boolean {
  const inside = heading.children.filter((child) => isElement(child) || child.text.trim() !== '');
  const [link] = inside;
  if (inside.length !== 1 || link === undefined || !isElement(link) || link.tag !== 'a') return false;
  const { href = '' } = link.attributes;
  return href !== '' && START.test(href);
}
const START = /^(?:[a-z]+:\/\/[^/]+)?(?:\.{0,2}\/)*(?:index\.\w{3,5}|\.{1,2})?$/i;

const clip = (title: string): string =>
  title.length > TITLE_CHARS_MAX ? title.slice(0, TITLE_CHARS_MAX).trimEnd() : title;
