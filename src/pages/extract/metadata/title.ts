import { getDomainWithoutSuffix } from 'tldts';
import { collapse } from '../markdown/inline/escape-text.ts';
import { textBelow } from '../markdown/tags.ts';
import { isElement, type TreeElement } from '../tree.ts';
import { articlesIn, ldText } from './json-ld.ts';
import type { PageFacts } from './page-facts.ts';
import { firstMeta, plain } from './plain.ts';

const SEPARATOR = /\s+[|\-–—·•»«:›/\\]+\s+|\s*[|»]\s*|(?<=\S):\s+(?=\S)/;
const TITLE_CHARS_MAX = 400;
/** Characters read of a declared title, which may contain the site's name. */
const DECLARED_CHARS_MAX = 1_000;

/** The title of the page's text, without the name of its site; '' when the page has none. */
export function titleOf(facts: PageFacts, page: { site: string | null; url: string }): string {
  const { own: h1, themes } = mainHeadings(facts);
  const declared = [
    firstMeta(facts, [
      'og:title',
      'twitter:title',
      'dc.title',
      'citation_title',
      'parsely-title',
      'sailthru.title',
    ]),
    plain(ldText(articlesIn(facts.jsonLd)[0]?.headline)),
    plain(facts.titleTag),
  ]
    .filter((title) => title !== null)
    .map((title) => title.slice(0, DECLARED_CHARS_MAX));
  const names = [page.site, getDomainWithoutSuffix(page.url), ...themes]
    .filter((name) => name !== null)
    .map(key);
  for (const title of declared) {
    const stripped = withoutSite(title, { names, h1, others: declared });
    if (stripped === '' || isName(stripped, names)) continue;
    // Where both mean the same, readers see the heading, and the declared title is worded for search engines.
    return clip(h1 !== null && sameSubject(h1, stripped) ? h1 : stripped);
  }
  return clip(h1 ?? declared[0] ?? themes[0] ?? '');
}

/** Whether two titles share most of their words. */
function sameSubject(one: string, other: string): boolean {
  const [few = [], many = []] = [words(one), words(other)].sort((a, b) => a.length - b.length);
  const shared = few.filter((word) => many.includes(word)).length;
  return few.length >= WORDS_MIN && shared >= few.length * SHARED_MIN && shared >= many.length * COVERED_MIN;
}
const WORDS_MIN = 3;
const SHARED_MIN = 0.5;
const COVERED_MIN = 0.3;
const words = (text: string): string[] =>
  text
    .slice(0, TITLE_CHARS_MAX)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Strips a part at either end only on evidence: it is the site's name, or the rest is the title elsewhere. */
function withoutSite(
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
    .map((one) => key(one ?? ''));
  if (known.includes(key(head))) return head;
  if (known.includes(key(tail))) return tail;
  if (isName(last, evidence.names)) return head;
  if (isName(first, evidence.names)) return tail;
  const h1 = evidence.h1 === null ? '' : key(evidence.h1);
  // A bar sets apart the name of a site or section, if what follows is the shorter part.
  const bar = title.lastIndexOf(' | ');
  if (bar >= BEFORE_BAR_MIN && title.length - bar - BAR_CHARS < bar) return title.slice(0, bar).trim();
  if (h1.length > 10 && parts.length > 2 && key(title).startsWith(h1)) return evidence.h1 ?? title;
  return title;
}
const BEFORE_BAR_MIN = 12;
const BAR_CHARS = 3;
const TRAILING_SEPARATOR = /\s*[|\-–—·•»«:›/\\]+\s*$/;
const LEADING_SEPARATOR = /^\s*[|\-–—·•»«:›/\\]+\s*/;

/** Whether a part of a title is the site's name or begins with the name of its domain. */
function isName(text: string, names: string[]): boolean {
  const part = key(text);
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

const key = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The page's own `h1`, and those of its theme before it: nothing but links to the start of the site or manual. */
function mainHeadings({ headings }: PageFacts): { own: string | null; themes: string[] } {
  const mains = headings.flatMap((element) => {
    const text =
      element.tag === 'h1' ? plain(collapse(textBelow(element, false)).replace(/[¶#]\s*$/, '')) : null;
    return text === null ? [] : [{ element, text, leadsAway: leadsAway(element) }];
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

/** Whether a heading is nothing but a link to the start of a site or manual. */
function leadsAway(heading: TreeElement): boolean {
  const inside = heading.children.filter((child) => isElement(child) || child.text.trim() !== '');
  const [link] = inside;
  if (inside.length !== 1 || link === undefined || !isElement(link) || link.tag !== 'a') return false;
  const { href = '' } = link.attributes;
  return href !== '' && START.test(href);
}
const START = /^(?:[a-z]+:\/\/[^/]+)?(?:\.{0,2}\/)*(?:index\.\w{3,5}|\.{1,2})?$/i;

const clip = (title: string): string =>
  title.length > TITLE_CHARS_MAX ? title.slice(0, TITLE_CHARS_MAX).trimEnd() : title;
