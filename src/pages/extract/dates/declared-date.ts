import type { PublishedDate } from '../../article.ts';
import { collapse } from '../markdown/inline/escape-text.ts';
import { readTextStart } from '../markdown/tags.ts';
import { filterArticles } from '../metadata/json-ld.ts';
import type { PageFacts } from '../metadata/page-facts.ts';
import { type DateOrder, findMonthNumber, readDay, toIsoDay } from './read-day.ts';

/** Names of `meta` elements that declare the day of publication, most reliable first. */
const PUBLISHED = [
  'article:published_time',
  'article:published',
  'og:published_time',
  'og:article:published_time',
  'datepublished',
  'publish_date',
  'publishdate',
  'publish-date',
  'pubdate',
  'published_time',
  'publication_date',
  'publicationdate',
  'parsely-pub-date',
  'sailthru.date',
  'cxenseparse:recs:publishtime',
  'cxenseparse:publishtime',
  'dc.date.issued',
  'dcterms.issued',
  'dc.date.created',
  'dcterms.created',
  'citation_publication_date',
  'citation_online_date',
  'bt:pubdate',
  'bt:published',
  'originalpublicationdate',
  'article_date_original',
  'article.published',
  'article.created',
  'article:publicationdate',
  'published-date',
  'published',
  'og:pubdate',
  'datecreated',
  'displaydate',
  'dc.date',
  'dcterms.date',
  'dcsext.articlefirstpublished',
  'ptime',
  'rnews:datepublished',
  'shareaholic:article_published_time',
  'datecontent',
  'date_published',
  'article:post_date',
  'prism.publicationdate',
  'gentime',
  'release_date',
  'mediator_published_time',
  'vr:published_time',
  'iso-8601-publish-date',
  'date',
  'og:date',
  'created',
  'creation_date',
  'timestamp',
  'og:release_date',
  'doc_date',
  'eomportal-lastupdate',
];
const MODIFIED = [
  'article:modified_time',
  'og:updated_time',
  'og:modified_time',
  'datemodified',
  'dc.date.modified',
  'dcterms.modified',
  'last-modified',
  'lastmod',
  'modified',
  'modified_time',
  'ms.date',
  'article:updated',
  'revised',
];

/** Finds the day of publication that JSON-LD declares for the page's text. */
export function findJsonLdDate({ jsonLd }: PageFacts, order: DateOrder): PublishedDate | null {
  for (const article of filterArticles(jsonLd)) {
    for (const name of ['datePublished', 'dateCreated', 'uploadDate']) {
      const day = parseDeclaredDay(article[name], order);
      if (day !== null) return { day, from: 'json-ld' };
    }
  }
  return null;
}

/** Finds the day of publication that a `meta` element declares. */
export function findMetaDate(facts: PageFacts, order: DateOrder): PublishedDate | null {
  return findFirstMetaDate(facts, PUBLISHED, order);
}

/** Finds the declared day of the last change. */
export function findDeclaredModifiedDate(facts: PageFacts, order: DateOrder): PublishedDate | null {
  for (const article of filterArticles(facts.jsonLd)) {
    const day = parseDeclaredDay(article.dateModified, order);
    if (day !== null) return { day, from: 'json-ld' };
  }
  return findFirstMetaDate(facts, MODIFIED, order);
}

function findFirstMetaDate({ meta }: PageFacts, names: string[], order: DateOrder): PublishedDate | null {
  for (const name of names) {
    for (const content of meta.get(name) ?? []) {
      const day = parseDeclaredDay(content, order);
      if (day !== null) return { day, from: 'meta' };
    }
  }
  return null;
}

function parseDeclaredDay(value: unknown, order: DateOrder): string | null {
  const text: unknown = Array.isArray(value) ? value[0] : value;
  return typeof text === 'string' && text.length < 100 ? readDay(text, order) : null;
}

const URL_NUMBERS = /[/_-]((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])[/_-]?(0[1-9]|[12]\d|3[01])(?=[/_.-]|$)/;
const URL_SHORT = /\/((?:19|20)\d\d)\/(\d{1,2})\/(\d{1,2})\//;
const URL_NAMED = /\/((?:19|20)\d\d)\/([a-z]{3,9})\/(\d{1,2})\//i;

/** Finds the day in an address such as /2024/05/06/ or /2024/may/06/; a month alone does not count. */
export function findUrlDate(url: string): PublishedDate | null {
  const path = URL.parse(url)?.pathname ?? '';
  const [, year = '', month = '', day = ''] =
    URL_NAMED.exec(path) ?? URL_NUMBERS.exec(path) ?? URL_SHORT.exec(path) ?? [];
  const number = /^\d/.test(month) ? Number(month) : findMonthNumber(month);
  const found = number === null ? null : toIsoDay(Number(year), number, Number(day));
  return found === null ? null : { day: found, from: 'url' };
}

/** Finds the day of publication in a script's data, where it follows the title: other days there are those of other pages. */
export function findScriptDate({ title, scripts }: PageFacts): PublishedDate | null {
  const words = title === null ? '' : collapse(readTextStart(title, TITLE_CHARS_MAX)).trim();
  if (words.length < TITLE_CHARS_MIN) return null;
  for (const script of scripts) {
    const source = readTextStart(script, SCRIPT_CHARS_MAX);
    const at = source.indexOf(words);
    const beside = at === -1 ? '' : source.slice(at, at + BESIDE_CHARS_MAX);
    const day = readDay(CREATED_KEY.exec(beside)?.[1] ?? '');
    if (day !== null) return { day, from: 'script' };
  }
  return null;
}
const CREATED_KEY =
  /\b(?:date_?(?:published|created)|published(?:_?(?:at|on|date|time))?|publish_?(?:date|time)|publication_?date|pub_?date|created(?:_?(?:at|on|date|time))?|post_?date|first_?published(?:_?at)?)\\?["']?\s{0,5}:\s{0,5}\\?["'](\d{4}-\d\d-\d\d)/i;
const TITLE_CHARS_MAX = 300;
const TITLE_CHARS_MIN = 8;
const SCRIPT_CHARS_MAX = 500_000;
const BESIDE_CHARS_MAX = 30_000;
