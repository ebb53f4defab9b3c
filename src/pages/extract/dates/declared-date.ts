import type { PublishedDate } from '../../article.ts';
import { articlesIn } from '../metadata/json-ld.ts';
import type { PageFacts } from '../metadata/page-facts.ts';
import { monthNumber } from './month-names.ts';
import { dayOf, type Order, readDay } from './read-day.ts';

/** Names under which pages declare the day of publication, most telling first. */
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

/** The day that JSON-LD declares as the publication of the page's text. */
export function jsonLdDate({ jsonLd }: PageFacts, order: Order): PublishedDate | null {
  for (const article of articlesIn(jsonLd)) {
    for (const name of ['datePublished', 'dateCreated', 'uploadDate']) {
      const day = declaredDay(article[name], order);
      if (day !== null) return { day, from: 'json-ld' };
    }
  }
  return null;
}

/** The day that a `meta` declares as publication. */
export function metaDate(facts: PageFacts, order: Order): PublishedDate | null {
  return firstOf(facts, PUBLISHED, order);
}

/** The day of the last change, used only for a page that declares no other. */
export function modifiedDate(facts: PageFacts, order: Order): PublishedDate | null {
  for (const article of articlesIn(facts.jsonLd)) {
    const day = declaredDay(article.dateModified, order);
    if (day !== null) return { day, from: 'json-ld' };
  }
  return firstOf(facts, MODIFIED, order);
}

function firstOf({ meta }: PageFacts, names: string[], order: Order): PublishedDate | null {
  for (const name of names) {
    for (const content of meta.get(name) ?? []) {
      const day = declaredDay(content, order);
      if (day !== null) return { day, from: 'meta' };
    }
  }
  return null;
}

function declaredDay(value: unknown, order: Order): string | null {
  const text: unknown = Array.isArray(value) ? value[0] : value;
  return typeof text === 'string' && text.length < 100 ? readDay(text, order) : null;
}

const URL_NUMBERS = /[/_-]((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])[/_-]?(0[1-9]|[12]\d|3[01])(?=[/_.-]|$)/;
const URL_SHORT = /\/((?:19|20)\d\d)\/(\d{1,2})\/(\d{1,2})\//;
const URL_NAMED = /\/((?:19|20)\d\d)\/([a-z]{3,9})\/(\d{1,2})\//i;

/** The day in an address such as /2024/05/06/ or /2024/may/06/; a month alone is no day. */
export function urlDate(url: string): PublishedDate | null {
  const path = URL.parse(url)?.pathname ?? '';
  const [, year = '', month = '', day = ''] =
    URL_NAMED.exec(path) ?? URL_NUMBERS.exec(path) ?? URL_SHORT.exec(path) ?? [];
  const number = /^\d/.test(month) ? Number(month) : monthNumber(month);
  const found = number === null ? null : dayOf(Number(year), number, Number(day));
  return found === null ? null : { day: found, from: 'url' };
}
