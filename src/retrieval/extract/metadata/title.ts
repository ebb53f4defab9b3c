import { collapse } from '../markdown/escape-text.ts';
import { textBelow } from '../markdown/tags.ts';
import { articlesIn, ldText } from './json-ld.ts';
import type { PageFacts } from './page-facts.ts';
import { firstMeta, plain } from './plain.ts';

const SEPARATOR = /\s+[|\-–—·•»«:›/\\]+\s+|\s*[|»]\s*|(?<=\S):\s+(?=\S)/;
const TITLE_CHARS_MAX = 400;

/** The title of the page's text, without the name of its site; '' when the page has none. */
export function titleOf(facts: PageFacts, site: string | null): string {
  const h1 = onlyHeading(facts);
  const declared = [
    firstMeta(facts, [
      'og:title',
      'twitter:title',
      'dc.title',
      'citation_title',
      'parsely-title',
      'sailthru.title',
    ]),
    ldText(articlesIn(facts.jsonLd)[0]?.headline),
    plain(facts.titleTag),
  ].filter((title) => title !== null);
  for (const title of declared) {
    const stripped = withoutSite(title, { site, h1, others: declared });
    if (stripped !== '' && !isName(stripped, site)) return clip(stripped);
  }
  return clip(h1 ?? declared[0] ?? '');
}

/** Strips a part at either end only on evidence: it is the site's name, or what remains stands elsewhere as the title. */
function withoutSite(
  title: string,
  evidence: { site: string | null; h1: string | null; others: string[] },
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
  if (isName(last, evidence.site)) return head;
  if (isName(first, evidence.site)) return tail;
  const h1 = evidence.h1 === null ? '' : key(evidence.h1);
  if (h1.length > 10 && parts.length > 2 && key(title).startsWith(h1)) return evidence.h1 ?? title;
  return title;
}
const TRAILING_SEPARATOR = /\s*[|\-–—·•»«:›/\\]+\s*$/;
const LEADING_SEPARATOR = /^\s*[|\-–—·•»«:›/\\]+\s*/;

function isName(text: string, site: string | null): boolean {
  if (site === null || text === '') return false;
  const [one, other] = [key(text), key(site)];
  return (
    one === other ||
    (one.length > 3 && other.length > 3 && (other === `the${one}` || one === `the${other}`)) ||
    `${one}com` === other ||
    one === `${other}com`
  );
}

const key = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The text of the page's h1 when there is one only, else of the first within the text. */
function onlyHeading({ headings }: PageFacts): string | null {
  const texts = headings
    .filter(({ tag }) => tag === 'h1')
    .map((heading) => plain(collapse(textBelow(heading, false)).replace(/[¶#]\s*$/, '')));
  return texts.find((text) => text !== null) ?? null;
}

const clip = (title: string): string =>
  title.length > TITLE_CHARS_MAX ? title.slice(0, TITLE_CHARS_MAX).trimEnd() : title;
