import { sentenceEnds } from '../../chunk/sentences.ts';
import { plainText } from '../../rank/plain-text.ts';
import { isStopWord, wordsOf } from '../../rank/words.ts';
import { namesOf } from '../names.ts';
import type { Evidence } from '../research-types.ts';
import { siteOf } from '../site-of.ts';
import { attributeOf, eventOf, isEvent, isQualifier } from './attributes.ts';
import { datesOf, type WrittenDate } from './dates.ts';
import { makersOf } from './makers.ts';
import { type Quantity, quantitiesOf } from './numbers.ts';

/** What a claim says. */
export type ClaimValue =
  | ({ kind: 'quantity' } & Pick<Quantity, 'value' | 'step' | 'grain' | 'dimension' | 'bound'>)
  | ({ kind: 'date'; event: string } & Pick<WrittenDate, 'year' | 'month' | 'day'>)
  | { kind: 'maker'; deed: string; names: string[] };

/** A value that a passage states about something. */
export type Claim = {
  source: string;
  url: string;
  site: string;
  value: ClaimValue;
  shown: string;
  /** The thing it is about, as words to show and as stems. */
  subject: { shown: string; terms: ReadonlySet<string> };
  /** Which of its properties, as stems of the clause around the value. */
  about: ReadonlySet<string>;
  /** Words that narrow it down, such as `average`: two claims are compared only where these are the same. */
  qualifiers: string;
  /** Years that the sentence names beside the value. */
  years: string;
};

/** Claims of all languages are compared, so their words are stemmed alike. */
const STEMS = 'en';
const SENTENCE_CHARS_MAX = 600;
const CLAUSE_EDGES = /[;:()[\]—–]|,(?!\d)|(?:\s(?:and|but|while|whereas|which|und|aber|et|mais|y|pero)\s)/giu;
const WORDS_BEFORE = 7;
const WORDS_AFTER = 4;
/** Sentences that do not state, or state of something that may be. */
const UNSURE =
  /\?$|\b(?:not|never|n't|if|would|could|might|may have|myth|legend|rumou?r|wrongly|incorrectly|planned|proposed|expected|nicht|kein|pas|jamais|nunca)\b/iu;
const LEADING_PLACE =
  /^(?:in|at|on|near|during|after|before|since|from|by|with|despite|unlike|according to|im|am|nach|seit|en|dans|à|depuis)\s[^,]{1,80},\s*/iu;
const TITLE_EDGE = /\s+[-–—|·:]\s+.*$|\s*\([^)]*\)\s*$/u;
const OPENING_WORDS = 3;
const CLAIMS_MAX = 400;

/** What the passages state in numbers, dates and makers. Sentences that ask, deny or doubt state nothing. */
export function claimsOf(evidence: readonly Evidence[]): Claim[] {
  const claims: Claim[] = [];
  for (const one of evidence) {
    for (const sentence of sentencesOf(one.quote)) claims.push(...claimsIn(sentence, one));
    if (claims.length >= CLAIMS_MAX) break;
  }
  return claims.slice(0, CLAIMS_MAX);
}

function sentencesOf(markdown: string): string[] {
  return (
    plainText(markdown)
      .split('\n')
      // A heading, and a row of a table, whose columns nobody has read, state nothing.
      .filter((line) => !/^\s*(?:#|\|)/.test(line))
      .flatMap((line) => {
        const bare = line.replace(/^[\s>]*(?:[-*+]|\d{1,3}[.)])?\s+/, '').replace(/\[\d{1,3}\]/g, '');
        const ends = [...sentenceEnds(bare), bare.length];
        return ends.map((end, place) => bare.slice(ends[place - 1] ?? 0, end).trim());
      })
      .filter(
        (sentence) => sentence !== '' && sentence.length <= SENTENCE_CHARS_MAX && !UNSURE.test(sentence),
      )
  );
}

type Stated = { value: ClaimValue; shown: string; start: number; end: number };

function claimsIn(sentence: string, { id, url, title, language }: Evidence): Claim[] {
  const dates = datesOf(sentence);
  const quantities = quantitiesOf(sentence, language).filter(
    (one) => !dates.some(({ start, end }) => one.start < end && start < one.end),
  );
  const stated: Stated[] = [
    ...quantities.map(({ start, end, shown, value, step, grain, dimension, bound }): Stated => {
      return { start, end, shown, value: { kind: 'quantity', value, step, grain, dimension, bound } };
    }),
    ...dates.flatMap((date): Stated[] => dated(sentence, date)),
    ...makersOf(sentence).map(({ start, end, shown, deed, names }): Stated => {
      return { start, end, shown, value: { kind: 'maker', deed, names } };
    }),
  ];
  const subject = subjectOf(sentence, { title, stated });
  if (subject === null) return [];
  return stated.map(({ value, shown, start, end }) => {
    const clause = clauseAround(sentence, { start, end, after: value.kind === 'quantity' });
    const words = wordsOf(clause, STEMS).filter((word) => !subject.terms.has(word));
    const others = dates.filter((date) => date.start !== start).map(({ year }) => year);
    return {
      ...{ source: id, url, site: siteOf(url), value, shown, subject },
      about: new Set(
        words.flatMap((word) => (value.kind === 'date' && isEvent(word) ? [] : attributeOf(word))),
      ),
      qualifiers: [...new Set(words.filter(isQualifier))].sort().join(' '),
      years: [...new Set(others)].sort().join(' '),
    };
  });
}

/** A date claims something where its clause names an event. */
function dated(sentence: string, { start, end, shown, year, month, day }: WrittenDate): Stated[] {
  const event = eventOf(clauseAround(sentence, { start, end, after: true }));
  return event === null ? [] : [{ start, end, shown, value: { kind: 'date', event, year, month, day } }];
}

type Span = {
  start: number;
  end: number /** Whether the words behind the value count too. */;
  after: boolean;
};

/** The words near a value within its clause, without the value. */
function clauseAround(sentence: string, { start, end, after }: Span): string {
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

type About = { title: string; stated: readonly Stated[] };

/** The name that a sentence begins with, or where it begins with none, what the page is about. Null where neither is known. */
function subjectOf(sentence: string, { title, stated }: About): Claim['subject'] | null {
  const placeless = sentence.replace(LEADING_PLACE, '');
  const offset = sentence.length - placeless.length;
  const firstValue = Math.min(...stated.map(({ start }) => start)) - offset;
  const [first] = namesOf(` ${placeless}`);
  if (first !== undefined && first.start - 1 < firstValue) {
    const opening = placeless.slice(0, Math.max(0, first.start - 1)).trim();
    if (opening === '' || (opening.split(/\s+/).length <= OPENING_WORDS && isArticle(opening)))
      return named(first.text);
  }
  const name = title.replace(TITLE_EDGE, '').trim();
  return name === '' ? null : named(name);
}

const isArticle = (opening: string): boolean =>
  opening
    .split(/\s+/)
    .every(
      (word) =>
        isStopWord(word.toLowerCase()) || /^(?:der|die|das|le|la|les|el|los|las|il|o|a)$/iu.test(word),
    );

function named(shown: string): Claim['subject'] | null {
  const terms = new Set(wordsOf(shown, STEMS).filter((word) => !isStopWord(word)));
  return terms.size === 0 ? null : { shown, terms };
}
