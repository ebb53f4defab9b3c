import { decodeHTMLStrict } from 'entities/decode';
import { collapse } from '../markdown/inline/escape-text.ts';
import { stripMarks } from '../markdown/inline/marks.ts';
import { readTextStart } from '../markdown/tags.ts';
import type { TreeElement } from '../table-shape.ts';
import { filterArticles, readLdText } from './json-ld.ts';
import type { PageFacts } from './page-facts.ts';

const METAS_MAX = 40;
const META_CHARS_MAX = 500;
/** Names of `meta` elements for browsers, applications and account owners, which say nothing about the page. */
const TECHNICAL =
  /^(?:viewport|theme-color|color-scheme|format-detection|generator|referrer|handheldfriendly|mobileoptimized|csrf-.*|apple-.*|msapplication-.*|al:.*|fb:.*|x-ua-compatible|content-type|content-security-policy|refresh|next-.*)$/;

const META = [
  'author',
  'article:author',
  'parsely-author',
  'sailthru.author',
  'dc.creator',
  'dcterms.creator',
  'citation_author',
  'byl',
  'twitter:creator:name',
  'og:article:author',
  'book:author',
];
const BYLINE = /(?:^|[\s_-])(?:author|byline|by-line|p-author|writer)(?:$|[\s_-](?:name|link)(?=\s|$))/i;
const PREFIX =
  /^(?:written\s+|posted\s+|post\s+|guide\s+|authored\s+|reviewed\s+|words\s+|\d{1,2}\/\d{1,2}\/\d{4}\s+)?(?:by|von|par|por|di|door|af|av|words|about the author|author|text|texte|autor|auteur|more stories by|view all posts by|posts by)(?:\s*:?\s+|:)/i;
/** Text after a name: another line of the byline, a rank, a count. */
const BEHIND =
  /\s+(?:[/·»]|joined\b|posts:|threads:|member\b|(?:(?:former|senior|deputy|chief|lead|managing|associate|contributing|executive|founding)\s+)+\p{L}|founder\b|co-founder\b).*$/iu;
const RANK =
  /,\s[^,]{2,60}\b(?:editor|expert|reporter|writer|correspondent|journalist|contributor|columnist)$/i;
/** A day at the end of a byline, or a text that is only a day. */
const DAY =
  /(?:^|[\s,]+)(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s)?(?:\d{1,2}\.?\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s\d{1,2})$|^(?:mon|tue|wed|thu|fri|sat|sun)$/i;
const DATE_TAIL = /\s*(?:[|•·,–—]|\bon\b|\s-\s)\s*(?=(?:\w+\s+)?\d|updated|published|posted|\w+day\b).*$/i;
const NOT_NAME =
  /\s+(?:view (?:author|all)|get author|more (?:stories|from)|posts by|follow|is (?:an?|the)|updated|published|(?:19|20)\d\d\b|\d{1,2}[./]\d).*$/i;
const NAME_CHARS_MAX = 100;
/** Maximum length of a name with the words around it. */
const BYLINE_CHARS_MAX = 400;
const AUTHORS_MAX = 5;

/**
 * Finds the author of the text, several names separated by commas; null when the page names none. The site itself counts only when
 * the page shows no other name.
 */
export function findAuthor(facts: PageFacts, site: string | null): string | null {
  const declared = findDeclaredAuthor(facts);
  if (declared !== null && !isSite(declared, site)) return declared;
  return findByline(facts) ?? declared ?? cleanNames([readFirstMeta(facts, ['creator'])]);
}

function findDeclaredAuthor(facts: PageFacts): string | null {
  for (const article of filterArticles(facts.jsonLd)) {
    const names = cleanNames(readLdNames(article.author ?? article.creator).map(toPlainText));
    if (names !== null) return names;
  }
  for (const name of META) {
    const names = cleanNames((facts.meta.get(name) ?? []).map(toPlainText));
    if (names !== null) return names;
  }
  return null;
}

const isSite = (name: string, site: string | null): boolean =>
  site !== null && toLetterKey(name) === toLetterKey(site);

const toLetterKey = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

function readLdNames(value: unknown): (string | null)[] {
  return Array.isArray(value) ? value.slice(0, AUTHORS_MAX).map(readLdText) : [readLdText(value)];
}

function findByline(facts: PageFacts): string | null {
  const linked = facts.anchors.filter(({ attributes }) =>
    /(?:^|\s)author(?:\s|$)/.test(attributes.rel ?? ''),
  );
  const named = facts
    .hinted()
    .filter(({ attributes }) => /(?:^|\s)(?:author|creator)(?:\s|$)/.test(attributes.itemprop ?? ''));
  const classed = facts
    .hinted()
    .filter(({ attributes }) => BYLINE.test(attributes.class ?? '') || BYLINE.test(attributes.id ?? ''));
  for (const group of [linked, named, classed]) {
    const [first] = group;
    const names = first === undefined ? null : cleanNames([readBylineName(first)]);
    if (names !== null) return names;
  }
  return null;
}

const readBylineName = (element: TreeElement): string | null =>
  toPlainText(readTextStart(element, BYLINE_CHARS_MAX).slice(0, BYLINE_CHARS_MAX));

/** Cleans names as a reader would write them; drops addresses, handles and whole sentences. */
function cleanNames(names: (string | null)[]): string | null {
  const done = names.flatMap((name) => {
    const text = (name ?? '')
      .slice(0, BYLINE_CHARS_MAX)
      .replace(PREFIX, '')
      .replace(NOT_NAME, '')
      .replace(DATE_TAIL, '')
      .replace(BEHIND, '')
      .replace(RANK, '')
      .replace(DAY, '')
      .replace(/^[@\s,]+|(?<![\s,;|])[\s,;|]+$/g, '');
    const tooLong = text.length > NAME_CHARS_MAX || text.split(' ').length > 14;
    return text === '' ||
      tooLong ||
      /https?:|www\.|@\w+\.|^\d+$|^(?:admin|author|null|undefined|unknown|none|staff writer)$/i.test(text)
      ? []
      : [text];
  });
  return done.length === 0 ? null : [...new Set(done)].slice(0, AUTHORS_MAX).join(', ');
}

/** Converts a declared text to plain text: collapses white space and decodes entities that were escaped twice; null when empty. */
export function toPlainText(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const read = text.includes('&') ? decodeHTMLStrict(text).replace(/\p{Cc}/gu, ' ') : text;
  const done = collapse(stripMarks(read)).trim();
  return done === '' ? null : done;
}

/** Returns the first non-empty content of the named `meta` elements, as plain text. */
export function readFirstMeta({ meta }: PageFacts, names: string[]): string | null {
  for (const name of names) {
    const content = toPlainText(meta.get(name)?.[0]);
    if (content !== null) return content;
  }
  return null;
}

/** Collects the `meta` elements that describe the page: the first content of each name, as plain text. */
export function collectMeta({ meta }: PageFacts): Record<string, string> {
  const told = [...meta].filter(([name]) => !TECHNICAL.test(name) && !name.includes('verif'));
  return Object.fromEntries(
    told.slice(0, METAS_MAX).flatMap(([name, contents]) => {
      const content = toPlainText(contents[0]?.slice(0, META_CHARS_MAX));
      return content === null ? [] : [[name, content]];
    }),
  );
}
