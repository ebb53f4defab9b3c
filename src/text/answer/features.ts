import { findEncoder } from '../embeddings/encoder-for.ts';
import { computeCosine } from '../embeddings/static-encoder.ts';
import { measureLinkShare } from '../passages/link-share.ts';
import { hasKnownRarities, type Question } from '../query/question.ts';
import { ASKED_FORMS, type AskedForm, matchesForm } from '../query/question-forms.ts';
import { isUnspaced } from '../words/scripts.ts';
import { isStopWord } from '../words/stop-words.ts';
import { parseTerms } from '../words/words.ts';
import type { Quotable } from './quotable.ts';
import { WORD_FEATURES } from './word-meanings.ts';

/** Features of a passage by its form and its meaning, in the order of the weights. */
const FORM_FEATURES = [
  'isCode',
  'isRow',
  'isItem',
  'linked',
  'short',
  'meaning',
  'meaningBest',
  'meaningSubject',
  'forms',
  ...ASKED_FORMS.map((form) => `${form}Found` as const),
  ...ASKED_FORMS.map((form) => `${form}Missing` as const),
] as const;

const SHORT_CHARS = 60;

/** Features of a passage as an answer to a question, in the order of the weights. */
export const FEATURES = [
  'bias',
  'coverWindow',
  'coverIdf',
  'coverContext',
  'coverBest',
  'coverSoft',
  'coverPage',
  'missingRarest',
  'missingNames',
  'bigrams',
  'proximity',
  'gap',
  'chunkScore',
  'matched',
  'asked',
  'lead',
  'added',
  'full',
  'coverTitle',
  'titleAsked',
  'pagePlace',
  'length',
  'otherLanguage',
  'unspaced',
  'coverSubject',
  'subjectAsked',
  'coverSubjectOrText',
  'titleBehind',
  'doing',
  ...FORM_FEATURES,
  ...WORD_FEATURES,
] as const;

/** A candidate passage with its surroundings. */
type Passage = FormedPassage & {
  /** The headings above it, and for a row the table header. */
  headings: string;
  /** The page's rank in the search, from 0. */
  pagePlace: number;
  /** Terms of the whole page. */
  pageTerms: ReadonlySet<string>;
  /** Returns how informative a term is within the page: its idf over the page's chunks, as a share of the rarest. */
  idf: (term: string) => number;
  /** Score of its chunk from 0 to 1, and its difference from the best other chunk's score (`gap`, may be negative). */
  chunkScore: number;
  gap: number;
  /** Its chunk's index on the page, from 0. */
  chunkPlace: number;
  /** True when its chunk has the best instructions of its page. */
  isDoing: boolean;
  /** How much more of the question the title of another page names, in rarity. */
  titleBehind: number;
  /** The similarity in meaning of its words to those of the question. */
  wordMeanings: readonly number[];
};

const CONTEXT_SHARE = 0.5;
const SOFT_SHARE = 0.6;
const SOFT_CHARS_MIN = 4;
const SOFT_SHARE_MIN = 0.6;
const PAIR_DISTANCE_MAX = 12;

/** Computes the features of one passage, each roughly 0 to 1. */
export function computeAnswerFeatures(
  question: Question,
  passage: Passage,
  language: string | null,
): number[] {
  const places = findTermPlaces(`${passage.about}${passage.text}`, language);
  const [best, title, subject] = [`${passage.about}${passage.best}`, passage.title, passage.subject].map(
    (text) => readTermSet(text, language),
  ) as [TermSet, TermSet, TermSet];
  const context = new Set([...title, ...subject, ...readTermSet(passage.headings, language)]);
  const { terms } = question;
  const asked = new Set(terms.map(({ text }) => text));
  const measureAsked = (names: TermSet): number => {
    const named = [...names].filter((term) => !isStopWord(term));
    return named.length === 0 ? 0 : named.filter((term) => asked.has(term)).length / named.length;
  };
  const scoreTerm = (text: string): number => (places.has(text) ? 1 : 0);
  const cover = createShare(terms, ({ rarity }) => rarity);
  const scoreInContext = ({ text }: Term): number =>
    scoreTerm(text) || (context.has(text) ? CONTEXT_SHARE : 0);
  const missing = terms.filter((term) => scoreTerm(term.text) === 0 && !context.has(term.text));
  const scoreSoft = ({ text }: Term): number =>
    scoreTerm(text) || (context.has(text) ? CONTEXT_SHARE : isLike(text, places) ? SOFT_SHARE : 0);
  const total = terms.reduce((sum, { rarity }) => sum + rarity, 0);
  const matched = terms.filter(({ text }) => places.has(text)).length;
  const full = cover(({ text }) => scoreTerm(text));
  return [
    1,
    full,
    createShare(terms, ({ text }) => passage.idf(text))(({ text }) => scoreTerm(text)),
    cover(scoreInContext),
    cover(({ text }) => (best.has(text) ? 1 : 0)),
    cover(scoreSoft),
    cover(({ text }) => (passage.pageTerms.has(text) || context.has(text) ? 1 : 0)),
    total === 0 ? 0 : Math.max(0, ...missing.map(({ rarity }) => rarity)) / Math.sqrt(total),
    createShare(
      terms.filter(({ isName }) => isName),
      () => 1,
    )((term) => 1 - Math.min(1, 2 * scoreInContext(term))),
    measurePairs(terms, places, (distance) => (distance === 1 ? 1 : 0)),
    measurePairs(terms, places, (distance) => (distance <= PAIR_DISTANCE_MAX ? 1 / distance : 0)),
    passage.gap,
    passage.chunkScore,
    Math.log1p(matched) / 2,
    Math.log1p(terms.length) / 2,
    1 / (1 + passage.chunkPlace),
    measureAdded(passage.text, question),
    missing.length === 0 ? 1 : 0,
    cover(({ text }) => (title.has(text) ? 1 : 0)),
    measureAsked(title),
    // In prose the first of equal passages is chosen; where they were trained, the order of pages says nothing.
    passage.isTechnical ? 1 / (1 + passage.pagePlace) : 0,
    Math.min(1, passage.text.length / 450),
    hasKnownRarities(language) ? 0 : 1,
    isUnspaced(passage.best) ? 1 : 0,
    cover(({ text }) => (subject.has(text) ? 1 : 0)),
    measureAsked(subject),
    cover(({ text }) => (subject.has(text) || places.has(text) ? 1 : 0)),
    Math.min(1, passage.titleBehind),
    Number(passage.isDoing),
    ...computeFormFeatures(question, passage, language),
    ...passage.wordMeanings,
  ];
}

type TermSet = ReadonlySet<string>;

const readTermSet = (text: string, language: string | null): TermSet =>
  new Set(parseTerms(text, language).map(({ text: term }) => term));

type Term = Question['terms'][number];

/** Creates a function that returns the weighted mean of `held` over all terms; 0 without terms. */
function createShare(
  terms: Term[],
  weight: (term: Term) => number,
): (held: (term: Term) => number) => number {
  const total = terms.reduce((sum, term) => sum + weight(term), 0);
  return (held) =>
    total === 0 ? 0 : terms.reduce((sum, term) => sum + weight(term) * held(term), 0) / total;
}

function findTermPlaces(text: string, language: string | null): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const { text: term, place } of parseTerms(text, language)) {
    const known = places.get(term);
    if (known === undefined) places.set(term, [place]);
    else known.push(place);
  }
  return places;
}

/** True when a term occurs in another form: a common beginning that makes up most of both. */
function isLike(term: string, places: ReadonlyMap<string, number[]>): boolean {
  if (term.length < SOFT_CHARS_MIN) return false;
  for (const other of places.keys()) {
    const least = Math.max(SOFT_CHARS_MIN, Math.ceil(SOFT_SHARE_MIN * Math.max(term.length, other.length)));
    if (other.length >= least && term.slice(0, least) === other.slice(0, least)) return true;
  }
  return false;
}

/** Returns the mean closeness, in the passage, of terms that are neighbours in the question. */
function measurePairs(
  terms: Term[],
  places: ReadonlyMap<string, number[]>,
  worth: (distance: number) => number,
): number {
  if (terms.length < 2) return 0;
  let sum = 0;
  for (const [index, { text }] of terms.slice(1).entries()) {
    const before = places.get(terms[index]?.text ?? '') ?? [];
    const after = places.get(text) ?? [];
    sum += worth(measureNearest(before, after));
  }
  return sum / (terms.length - 1);
}

/** Returns the least distance between two ascending lists of places; the same place counts as distance 1. */
function measureNearest(before: readonly number[], after: readonly number[]): number {
  let nearest = Number.POSITIVE_INFINITY;
  let next = 0;
  for (const left of before) {
    while (next < after.length && (after[next] ?? 0) < left) next += 1;
    for (const right of [after[next - 1], after[next]])
      if (right !== undefined) nearest = Math.min(nearest, Math.abs(right - left) || 1);
  }
  return nearest;
}

/** Returns the share of its words (without stop words) that are not in the question: repeating the question does not answer it. */
function measureAdded(text: string, { words }: Question): number {
  const own = (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !isStopWord(word));
  return own.length === 0 ? 0 : own.filter((word) => !words.has(word)).length / own.length;
}

/** The parts of a passage that its form is judged by. */
type FormedPassage = {
  /** Plain text of the whole quotation, and of the quotable it was grown from. */
  text: string;
  best: string;
  title: string;
  /** The last heading above it, and the name that its list item is about. */
  subject: string;
  /** The title as a sentence, if it names the subject of the question: sentences of such a page speak of it as "it". Else empty. */
  about: string;
  /** The quotation as Markdown. */
  markdown: string;
  kind: Quotable['kind'];
  isItem: boolean;
  /** Forms of answers about programs are looked for on technical pages only. */
  isTechnical: boolean;
};

/** Computes the features of a passage's form, each roughly 0 to 1. */
function computeFormFeatures(
  { text: query, forms }: Question,
  passage: FormedPassage,
  language: string | null,
): number[] {
  const { kind, isItem, isTechnical, markdown, text } = passage;
  const held = new Set(forms.filter((form) => matchesForm(markdown, form)));
  const ofForm = (holds: (form: AskedForm) => boolean): number[] =>
    ASKED_FORMS.map((form) => Number(isTechnical && holds(form)));
  return [
    ...[kind === 'code', kind === 'row', isItem].map(Number),
    measureLinkShare(markdown),
    Number(kind === 'sentence' && text.length < SHORT_CHARS),
    ...computeMeanings(query, passage, language),
    Number(forms.length > 0),
    ...ofForm((form) => held.has(form)),
    ...ofForm((form) => forms.includes(form) && !held.has(form)),
  ];
}

/**
 * Computes the cosines of the question with the quotation, its best sentence, and its headings; 0 in languages that the vectors do
 * not cover.
 */
function computeMeanings(
  question: string,
  { text, best, subject, title, about }: FormedPassage,
  language: string | null,
): number[] {
  const encoder = findEncoder(language);
  if (encoder === null) return [0, 0, 0];
  const [asked, ...others] = encoder.embed([
    question,
    `${subject}\n${about}${text}`,
    `${about}${best}`,
    `${title}\n${subject}`,
  ]);
  return others.map((other) => (asked === undefined ? 0 : computeCosine(asked, other)));
}
