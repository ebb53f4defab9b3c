/**
 * Checks a written statement against the quotations that are given as its support, by rules alone: whatever can be compared (numbers,
 * units, dates, names, addresses, denials, who does what to whom) must stand in the quotations. It promises that a statement whose figures
 * or names were changed is found out; it does not understand a text, and a statement that misuses the right words can pass.
 */

import { findSentenceEnds } from '../chunk/sentences.ts';
import { findEncoder } from '../embeddings/encoder-for.ts';
import { computeCosine } from '../embeddings/static-encoder.ts';
import { extractDates, MONTH_OF, type WrittenDate } from '../facts/dates.ts';
import { extractNames } from '../facts/names.ts';
import { toVisibleText } from '../markup/visible-text.ts';
import { findEmptyWords } from '../words/light-words.ts';
import { foldAccents } from '../words/scripts.ts';
import { isStopWord } from '../words/stop-words.ts';
import { tokenizeWords } from '../words/words.ts';
import { readFigures, type StatedFigure, toBase } from './figures.ts';
import { findContrary, listDenials } from './negation.ts';
import { hasOtherWord } from './other-words.ts';
import { findSwappedRoles } from './roles.ts';

/** A quotation in support of a statement; `context`: the whole sentences that it was taken from. */
export type Support = { quote: string; context: string; title: string };

/** What a statement says that its quotations do not. `text`: the part of the statement. */
export type StatementProblem = { kind: ProblemKind; text: string };

export type ProblemKind =
  | 'quotation'
  | 'number'
  | 'unit'
  | 'date'
  | 'name'
  | 'address'
  | 'negation'
  | 'role'
  | 'words';

/** Maximum share of the telling words of a statement that its quotations may lack. */
const MISSING_SHARE_MAX = 0.5;
/** A denied clause is what a statement says if it shares this much of its words. */
const CLAUSE_SHARE_MIN = 0.6;
/** Maximum share by which a converted number may be rounded. */
const ROUNDING_MAX = 0.015;
const PROBLEMS_MAX = 10;
/** A longer text is no statement: it could not be compared in bounded time. */
const STATEMENT_CHARS_MAX = 1_000;
/** Least cosine of a word with one that it may stand for; more is asked of a word that stands elsewhere on the page. */
const NEAR_MIN = { unseen: 0.35, elsewhere: 0.45 };
/** Words that say who says something rather than what. */
const REPORTING = new Set(
  tokenizeWords(
    'according article source sources state states stated say says said report reports reported note notes noted page text passage author authors mention mentions mentioned describe describes described explain explains explained include includes including included example specifically namely respectively overall additionally furthermore moreover generally typically called known',
    null,
  ),
);
const WORD = /(?<![\p{L}\p{N}])[\p{L}][\p{L}\p{M}\p{N}]*(?:[-'’][\p{L}\p{N}]+)*/gu;

const ADDRESS =
  /(?:https?:\/\/|www\.)[^\s<>"'()[\]]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}|(?<![\w@.-])[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|edu|gov|io|dev|de|fr|uk|info|co|eu)(?![\w-])(?:\/[^\s<>"'()[\]]*)?/giu;
const LABEL =
  /(?<![\p{L}\p{N}_])(?=[\p{L}\p{N}-]{0,60}\p{N})(?=[\p{L}\p{N}-]{0,60}\p{L})[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;
const CLAUSE_EDGES =
  /[;:()[\]—–\n]|,(?!\d)|\s(?:and|but|while|whereas|which|who|although|though|because|that|und|aber|obwohl|et|mais|y|pero)\s/iu;
const MONTH_NAMES = [...MONTH_OF.keys()].sort((one, other) => other.length - one.length).join('|');
const DAY = '(?<day>3[01]|[12]\\d|0?[1-9])(?:st|nd|rd|th|\\.)?';
const DAYS_OF_MONTHS = [
  new RegExp(`(?<![\\p{L}\\p{N}])${DAY}\\s(?:of\\s|de\\s)?(?<month>${MONTH_NAMES})(?![\\p{L}\\p{N}])`, 'giu'),
  new RegExp(`(?<![\\p{L}\\p{N}])(?<month>${MONTH_NAMES})\\.?\\s${DAY}(?![\\p{L}\\p{N}])`, 'giu'),
];

/** `elsewhere`: the terms of the passages beyond the quotations; `language`: that of the passages, null for English. */
type WordRules = { language: string | null; elsewhere: ReadonlySet<string> };

/** Lists what a statement says that its quotations do not; empty for a proved one. */
export function checkStatement(
  statement: string,
  support: readonly Support[],
  rules: WordRules,
): StatementProblem[] {
  if (support.length === 0 || statement.length > STATEMENT_CHARS_MAX)
    return [{ kind: 'quotation', text: statement }];
  const said = spellOut(toVisibleText(statement));
  const source = readSource(support);
  const dates = readDates(said);
  return [
    ...checkDates(said, dates, source),
    ...checkFigures(said, dates, source),
    ...checkNames(said, dates, source),
    ...checkLabels(said, source),
    ...checkAddresses(said, source),
    ...checkDenials(said, support),
    ...checkRoles(said, support),
    ...checkWords(said, source, rules),
  ].slice(0, PROBLEMS_MAX);
}

/** Converts a text to its telling terms: without function words, light words and numbers. */
export function listTellingTerms(text: string): string[] {
  const { light } = findEmptyWords('en');
  return tokenizeWords(text, null).filter(
    (term) => !isStopWord(term) && !light.has(term) && !/^\p{N}/u.test(term) && term.length > 1,
  );
}

/** The quotations of a statement, read once. */
type Source = {
  text: string;
  figures: StatedFigure[];
  dates: WrittenDate[];
  days: DayOfMonth[];
  /** Folded words of the quotations and the titles of their pages, and their stems. */
  words: ReadonlySet<string>;
  /** The initials of each run of capitalised words. */
  initials: string[];
};

type DayOfMonth = { start: number; end: number; day: number; month: number };

function readSource(support: readonly Support[]): Source {
  const text = spellOut(support.map(({ quote }) => toVisibleText(quote)).join('\n'));
  const named = `${text}\n${support.map(({ title }) => title).join('\n')}`;
  return {
    text,
    figures: [...readFigures(text), ...(/(?<!\p{L})one(?!\p{L})/iu.test(text) ? [ONE] : [])],
    dates: extractDates(text),
    days: readDaysOfMonths(text),
    words: new Set([...listFoldedWords(named), ...tokenizeWords(named, null)]),
    initials: [
      ...named.matchAll(/\p{Lu}\p{L}{0,60}(?:[\s-](?:(?:of|the|and|for|de)\s)?\p{Lu}\p{L}{0,60})+/gu),
    ].map(([run]) => (run.match(/(?<!\p{L})\p{Lu}/gu) ?? []).join('')),
  };
}

const ONE: StatedFigure = { start: 0, end: 0, shown: 'one', values: [1], unit: null, step: 1 };

/** Spells units of several words as one, so that they are read. */
function spellOut(text: string): string {
  return text
    .replace(/\bper cent\b/giu, 'percent')
    .replace(/\bdegrees? (?:celsius|centigrade)\b/giu, '°C')
    .replace(/\bdegrees? fahrenheit\b/giu, '°F')
    .replace(/\bsquare kilomet(?:re|er)s?\b/giu, 'km²')
    .replace(/\bsquare met(?:re|er)s?\b/giu, 'm²')
    .replace(/\b(?:square miles?|sq\.? mi)\b/giu, 'mi²')
    .replace(/\b(?:square feet|square foot|sq\.? ft)\b/giu, 'ft²');
}

const listFoldedWords = (text: string): string[] =>
  (
    text.match(
      /[\p{L}\p{N}][\p{L}\p{N}\p{M}_]*(?:[.'’&/+#-][.'’&/_+#-]{0,3}[\p{L}\p{N}][\p{L}\p{N}\p{M}_]*)*(?:\+\+|#)?/gu,
    ) ?? []
  ).flatMap((word) => {
    const folded = foldWord(word);
    return [folded, ...folded.split(/[^\p{L}\p{N}]+/u), folded.replaceAll(/[^\p{L}\p{N}]/gu, '')];
  });

const foldWord = (word: string): string => foldAccents(word.replace(/['’]s$/u, '').toLowerCase());

type StatedDates = { dates: WrittenDate[]; days: DayOfMonth[] };

/** Reads the dates that name a month; years alone are figures. */
function readDates(text: string): StatedDates {
  const dates = extractDates(text).filter(({ month }) => month !== null);
  const days = readDaysOfMonths(text).filter(
    (day) => !dates.some(({ start, end }) => day.start < end && start < day.end),
  );
  return { dates, days };
}

function readDaysOfMonths(text: string): DayOfMonth[] {
  return DAYS_OF_MONTHS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index, 0: shown, groups }) => ({
      start: index,
      end: index + shown.length,
      day: Number(groups?.day),
      month: MONTH_OF.get((groups?.month ?? '').toLowerCase()) ?? 0,
    })),
  );
}

function checkDates(said: string, { dates, days }: StatedDates, source: Source): StatementProblem[] {
  const wrongDates = dates.filter((date) => !isDateIn(date, source));
  const wrongDays = days.filter(({ day, month }) => !isDayIn({ day, month }, source));
  return [...wrongDates, ...wrongDays].map(({ start, end }) => ({
    kind: 'date',
    text: said.slice(start, end),
  }));
}

function isDateIn({ year, month, day }: WrittenDate, source: Source): boolean {
  const sameYear = source.dates.filter((date) => date.year === year && date.month !== null);
  if (sameYear.length > 0)
    return sameYear.some((date) => date.month === month && (day === null || date.day === day));
  return hasNumber(source, year) && hasMonth(source, month ?? 0) && (day === null || hasNumber(source, day));
}

function isDayIn({ day, month }: { day: number; month: number }, source: Source): boolean {
  const full = source.dates.filter((date) => date.day !== null);
  if (full.length + source.days.length > 0)
    return [...full, ...source.days].some((one) => one.day === day && one.month === month);
  return hasNumber(source, day) && hasMonth(source, month);
}

const hasNumber = ({ figures }: Source, wanted: number): boolean =>
  figures.some(({ values }) => values.includes(wanted));

const hasMonth = (source: Source, month: number): boolean =>
  hasNumber(source, month) ||
  [...MONTH_OF].some(([name, number]) => number === month && source.words.has(foldWord(name)));

function checkFigures(said: string, { dates, days }: StatedDates, source: Source): StatementProblem[] {
  const taken = [...dates, ...days];
  return readFigures(said)
    .filter(({ start, end }) => !taken.some((date) => start < date.end && date.start < end))
    .flatMap((figure): StatementProblem[] => {
      if (source.figures.some((other) => isSameFigure(figure, other, source))) return [];
      const hasValue = source.figures.some(({ values }) =>
        values.some((value) => figure.values.includes(value)),
      );
      return [{ kind: hasValue ? 'unit' : 'number', text: figure.shown }];
    });
}

function isSameFigure(figure: StatedFigure, other: StatedFigure, source: Source): boolean {
  const { unit } = figure;
  const hasSameValue = other.values.some((value) => figure.values.some((own) => isClose(own, value)));
  if (unit === null) return hasSameValue;
  if (other.unit === null) return hasSameValue && hasUnitWord(source, unit.word);
  if (unit.dimension !== other.unit.dimension) return false;
  const otherUnit = other.unit;
  const isConverted = unit.factor !== otherUnit.factor || unit.offset !== otherUnit.offset;
  // A converted number is rounded to its last digit, or to its last digit that is no zero.
  const tolerance = isConverted
    ? 0.51 * Math.max(measureRounding(figure) * unit.factor, other.step * otherUnit.factor)
    : 0;
  return figure.values.some((own) =>
    other.values.some((value) => {
      const [left, right] = [toBase(own, unit), toBase(value, otherUnit)];
      return (
        isClose(left, right) || Math.abs(left - right) <= Math.min(tolerance, ROUNDING_MAX * Math.abs(right))
      );
    }),
  );
}

const isClose = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));

function measureRounding({ values: [value = 0], step }: StatedFigure): number {
  if (step < 1 || value === 0) return step;
  const zeros = /(?<!0)0+$/.exec(String(Math.abs(value)))?.[0].length ?? 0;
  return Math.max(step, 10 ** zeros);
}

function hasUnitWord({ text, words }: Source, word: string): boolean {
  const bare = word.replace(/^[\s-]+/, '');
  return /^\p{L}+$/u.test(bare) ? words.has(foldWord(bare)) : text.toLowerCase().includes(bare);
}

/** Words that are written with a capital letter at the beginning of a sentence only. */
const OPENING = /(?:ly|ing|ed)$/u;

function checkNames(said: string, { dates, days }: StatedDates, source: Source): StatementProblem[] {
  const taken = [...dates, ...days];
  const names = extractNames(said).filter(
    ({ start, end }) => !taken.some((date) => start < date.end && date.start < end),
  );
  const missing = names.filter(({ text }) => !splitName(text).every((word) => isNamed(word, source)));
  return [...missing, ...findOpeningName(said, source)].map(({ text }) => ({ kind: 'name', text }));
}

const splitName = (name: string): string[] =>
  name.split(/[\s"“”„«»]+/).filter((word) => /\p{L}/u.test(word) && !/^\p{Ll}{1,3}$/u.test(word));

function isNamed(word: string, source: Source): boolean {
  const folded = foldWord(word.replace(/(?<![.,])[.,]+$/, ''));
  if (source.words.has(folded) || source.words.has(folded.replaceAll(/[^\p{L}\p{N}]/gu, ''))) return true;
  const parts = folded.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '');
  if (parts.length > 1 && parts.every((part) => source.words.has(part) || isStopWord(part))) return true;
  const terms = tokenizeWords(folded, null);
  if (terms.length > 0 && terms.every((term) => source.words.has(term))) return true;
  if (folded.length === 1) return [...source.words].some((other) => other.startsWith(folded));
  if (/^\p{Lu}{2,6}$/u.test(word)) return source.initials.some((initials) => initials.includes(word));
  const month = MONTH_OF.get(folded);
  return (
    month !== undefined && (hasMonth(source, month) || source.dates.some((date) => date.month === month))
  );
}

/** A sentence may begin with a name: any word but those that commonly open one must be in the quotations. */
function findOpeningName(said: string, source: Source): { text: string }[] {
  const [, word = '', behind = ''] = /^\s*(\p{Lu}[\p{L}'’-]+)(.?)/u.exec(said) ?? [];
  const folded = foldWord(word);
  if (word === '' || behind === ',' || isStopWord(folded) || OPENING.test(folded)) return [];
  const [term = folded] = tokenizeWords(folded, null);
  const isPlural = folded.endsWith('s') && term !== folded;
  return isPlural || isStopWord(term) || isNamed(word, source) ? [] : [{ text: word }];
}

/** Words with digits, such as COVID-19, must be in the quotations letter by letter. */
function checkLabels(said: string, source: Source): StatementProblem[] {
  const figures = readFigures(said);
  return [...said.matchAll(LABEL)]
    .filter(
      ({ index, 0: { length } }) =>
        !figures.some(({ start, end }) => start < index + length && index < end && start === index),
    )
    .filter(([label]) => !isNamed(label, source))
    .map(([text]) => ({ kind: 'name', text }));
}

function checkAddresses(said: string, source: Source): StatementProblem[] {
  const text = source.text.toLowerCase();
  return (said.match(ADDRESS) ?? [])
    .map((address) => address.replace(/(?<![.,;:!?])[.,;:!?]+$/, ''))
    .filter(
      (address) =>
        !text.includes(
          address
            .toLowerCase()
            .replace(/^https?:\/\//, '')
            .replace(/\/$/, ''),
        ),
    )
    .map((address) => ({ kind: 'address', text: address }));
}

/** A statement denies what its sources deny, and nothing else. */
function checkDenials(said: string, support: readonly Support[]): StatementProblem[] {
  const context = support.map((one) => spellOut(toVisibleText(one.context))).join('\n');
  const contrary = findContrary(said, context);
  if (contrary !== null) return [{ kind: 'negation', text: contrary }];
  const sentences = context.split('\n').flatMap(splitSentences);
  const denied = sentences.flatMap((sentence) => splitClauses(sentence).filter(isDenying));
  const own = splitSentences(said).flatMap(splitClauses);
  const ownDenials = own.filter(isDenying);
  if (ownDenials.length > 0) {
    const unfounded = ownDenials.find(
      (clause) => !denied.some((other) => computeOverlap(clause, other) > 0.2),
    );
    return unfounded === undefined
      ? []
      : [{ kind: 'negation', text: listDenials(unfounded)[0] ?? unfounded }];
  }
  const plain = sentences.flatMap((sentence) =>
    splitClauses(sentence).filter((clause) => !isDenying(clause)),
  );
  const contradicted = denied.find((clause) => {
    const shared = computeOverlap(clause, said);
    return (
      shared >= CLAUSE_SHARE_MIN && !plain.some((other) => computeOverlap(said, other) >= CLAUSE_SHARE_MIN)
    );
  });
  return contradicted === undefined ? [] : [{ kind: 'negation', text: listDenials(contradicted)[0] ?? '' }];
}

/** Two things that its quotations name may stand in each other's place. */
function checkRoles(said: string, support: readonly Support[]): StatementProblem[] {
  const sentences = support.flatMap(({ context }) => splitSentences(spellOut(toVisibleText(context))));
  const swapped = findSwappedRoles(splitSentences(said), sentences);
  return swapped === null ? [] : [{ kind: 'role', text: swapped }];
}

const isDenying = (clause: string): boolean => listDenials(clause).length > 0;
const splitClauses = (sentence: string): string[] =>
  sentence.split(CLAUSE_EDGES).filter((clause) => clause.trim() !== '');

function splitSentences(text: string): string[] {
  const ends = [...findSentenceEnds(text), text.length];
  return ends.map((end, place) => text.slice(ends[place - 1] ?? 0, end));
}

/** Computes the share of the telling terms of one text that stand in another. */
function computeOverlap(text: string, other: string): number {
  const terms = new Set([...listTellingTerms(text), ...listNumbers(text)]);
  if (terms.size === 0) return 0;
  const others = new Set([...listTellingTerms(other), ...listNumbers(other)]);
  return [...terms].filter((term) => others.has(term)).length / terms.size;
}

const listNumbers = (text: string): string[] =>
  tokenizeWords(text, null).filter((term) => /^\p{N}/u.test(term));

/**
 * Each telling word of a statement must be a word of its quotations or near one that the statement leaves out: `began` for `started`. A
 * word that is near none was taken from elsewhere. Where the vectors of words do not cover the language, most words must be the same.
 */
function checkWords(said: string, source: Source, { language, elsewhere }: WordRules): StatementProblem[] {
  const figures = readFigures(said);
  const words = [...said.toLowerCase().matchAll(WORD)]
    .filter(({ index }) => !figures.some(({ start, end }) => start <= index && index < end))
    .map(([word]) => word)
    .filter((word, place, all) => all.indexOf(word) === place && isTelling(word));
  const missing = words.filter(
    (word) => !isNamed(word, source) && !isReporting(word) && !hasOtherWord(word, source.words),
  );
  const encoder = findEncoder(language);
  const own = new Set(said.toLowerCase().match(WORD) ?? []);
  // Function words count too: `many` may stand behind `numerous`.
  const left = [...new Set(source.text.toLowerCase().match(WORD) ?? [])].filter(
    (word) => word.length > 2 && !own.has(word),
  );
  const vectors = encoder?.embed(left) ?? [];
  const foreign = missing.filter((word) => {
    if (encoder === null) return false;
    const [vector] = encoder.embed([word]);
    const least = tokenizeWords(word, null).some((term) => elsewhere.has(term))
      ? NEAR_MIN.elsewhere
      : NEAR_MIN.unseen;
    return vector === undefined || !vectors.some((other) => computeCosine(vector, other) >= least);
  });
  if (foreign.length > 0) return foreign.map((text) => ({ kind: 'words', text }));
  return words.length > 0 && missing.length / words.length > MISSING_SHARE_MAX
    ? [{ kind: 'words', text: missing.join(' ') }]
    : [];
}

const isTelling = (word: string): boolean => listTellingTerms(word).length > 0;
const isReporting = (word: string): boolean => tokenizeWords(word, null).every((term) => REPORTING.has(term));
