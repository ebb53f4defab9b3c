import { findSentenceEnds } from '../../text/chunk/sentences.ts';
import { extractDates, type WrittenDate } from '../../text/facts/dates.ts';
import { extractQuantities, type Quantity } from '../../text/facts/numbers.ts';
import { toVisibleText } from '../../text/markup/visible-text.ts';
import { findSite } from '../../text/urls/sites.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import type { Evidence } from '../evidence/relevance.ts';
import { findEvent, isEvent, isQualifier, toAttributes } from './attributes.ts';
import { extractMakers } from './makers.ts';
import { findSubject, STEMS, type Subject } from './subject.ts';

/** The value that a claim states; `whether` affirms or denies what was asked. */
export type ClaimValue =
  | ({ kind: 'quantity' } & Pick<Quantity, 'value' | 'step' | 'grain' | 'dimension' | 'bound'>)
  | ({ kind: 'date'; event: string } & Pick<WrittenDate, 'year' | 'month' | 'day'>)
  | { kind: 'maker'; deed: string; names: string[] }
  | { kind: 'text'; text: string }
  | { kind: 'whether'; isDenied: boolean };

/** A value that a passage states about something. */
export type Claim = {
  source: string;
  url: string;
  site: string;
  value: ClaimValue;
  shown: string;
  subject: Subject;
  /** The property of the subject, as stems of the clause around the value. */
  about: ReadonlySet<string>;
  /** Words that narrow the value down, such as `average`: claims are compared only if these are the same. */
  qualifiers: string;
  /** Other years in the sentence. */
  years: string;
  /** The part of the question that it answers, in the question's words; null for a claim that was not asked for. */
  asked: string | null;
};

const SENTENCE_CHARS_MAX = 600;
const CLAUSE_EDGES = /[;:()[\]—–]|,(?!\d)|(?:\s(?:and|but|while|whereas|which|und|aber|et|mais|y|pero)\s)/giu;
const WORDS_BEFORE = 7;
const WORDS_AFTER = 4;
const DOUBTS =
  '\\?$|\\b(?:if|would|could|might|may have|myth|legend|rumou?r|wrongly|incorrectly|planned|proposed|expected';
/** Match sentences that ask, doubt or speculate; the second also matches those that deny. */
const UNSURE_OF_ALL = new RegExp(`${DOUBTS})\\b`, 'iu');
const UNSURE = new RegExp(`${DOUBTS}|not|never|n't|nicht|kein|pas|jamais|nunca)\\b`, 'iu');
const CLAIMS_MAX = 400;

/** Extracts the numbers, dates and makers that the passages state. Skips sentences that ask, deny or doubt. */
export function extractClaims(evidence: readonly Evidence[]): Claim[] {
  const claims: Claim[] = [];
  for (const one of evidence) {
    for (const sentence of selectStatements(one.quote, { withDenials: false }))
      claims.push(...extractSentenceClaims(sentence, one));
    if (claims.length >= CLAIMS_MAX) break;
  }
  return claims.slice(0, CLAIMS_MAX);
}

/** Selects the sentences of a passage that state something; `withDenials`: also those that deny something. */
export function selectStatements(markdown: string, { withDenials }: { withDenials: boolean }): string[] {
  const unsure = withDenials ? UNSURE_OF_ALL : UNSURE;
  return (
    toVisibleText(markdown)
      .split('\n')
      // Headings and table rows are skipped: a row means little without its columns.
      .filter((line) => !/^\s*(?:#|\|)/.test(line))
      .flatMap((line) => {
        const bare = line.replace(/^[\s>]*(?:[-*+]|\d{1,3}[.)])?\s+/, '').replace(/\[\d{1,3}\]/g, '');
        const ends = [...findSentenceEnds(bare), bare.length];
        return ends.map((end, place) => bare.slice(ends[place - 1] ?? 0, end).trim());
      })
      .filter(
        (sentence) => sentence !== '' && sentence.length <= SENTENCE_CHARS_MAX && !unsure.test(sentence),
      )
  );
}

type StatedValue = { value: ClaimValue; shown: string; start: number; end: number };

function extractSentenceClaims(sentence: string, { id, url, title, language }: Evidence): Claim[] {
  const dates = extractDates(sentence);
  const quantities = extractQuantities(sentence, language).filter(
    (one) => !dates.some(({ start, end }) => one.start < end && start < one.end),
  );
  const stated: StatedValue[] = [
    ...quantities.map(({ start, end, shown, value, step, grain, dimension, bound }): StatedValue => {
      return { start, end, shown, value: { kind: 'quantity', value, step, grain, dimension, bound } };
    }),
    ...dates.flatMap((date): StatedValue[] => toDateValues(sentence, date)),
    ...extractMakers(sentence).map(({ start, end, shown, deed, names }): StatedValue => {
      return { start, end, shown, value: { kind: 'maker', deed, names } };
    }),
  ];
  const firstValue = Math.min(...stated.map(({ start }) => start));
  const subject = findSubject(sentence, { title, firstValue });
  if (subject === null) return [];
  return stated.map(({ value, shown, start, end }) => {
    const clause = extractClause(sentence, { start, end, after: value.kind === 'quantity' });
    const words = [...subject.part, ...tokenizeWords(clause, STEMS)].filter(
      (word) => !subject.terms.has(word),
    );
    const others = dates.filter((date) => date.start !== start).map(({ year }) => year);
    return {
      source: id,
      url,
      site: findSite(url),
      value,
      shown,
      subject,
      asked: null,
      about: new Set(
        words.flatMap((word) => (value.kind === 'date' && isEvent(word) ? [] : toAttributes(word))),
      ),
      qualifiers: [...new Set(words.filter(isQualifier))].sort().join(' '),
      years: [...new Set(others)].sort().join(' '),
    };
  });
}

/** Returns the value of a date if its clause names an event; otherwise the date is no claim. */
function toDateValues(sentence: string, { start, end, shown, year, month, day }: WrittenDate): StatedValue[] {
  const event = findEvent(extractClause(sentence, { start, end, after: true }));
  return event === null ? [] : [{ start, end, shown, value: { kind: 'date', event, year, month, day } }];
}

/** `after`: also includes the words after the value. */
type Span = { start: number; end: number; after: boolean };

/** Extracts the words near a value within its clause, without the value. */
export function extractClause(sentence: string, { start, end, after }: Span): string {
  let from = 0;
  let to = sentence.length;
  for (const { index, 0: edge } of sentence.matchAll(CLAUSE_EDGES)) {
    if (index + edge.length <= start) from = index + edge.length;
    else if (index >= end) {
      to = index;
      break;
    }
  }
  const before = sentence
    .slice(from, start)
    .split(/\s+/)
    .slice(-WORDS_BEFORE - 1);
  const behind = after
    ? sentence
        .slice(end, to)
        .split(/\s+/)
        .slice(0, WORDS_AFTER + 1)
    : [];
  return [...before, ...behind].join(' ');
}
