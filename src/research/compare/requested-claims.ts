import { extractDates } from '../../text/facts/dates.ts';
import { extractNames } from '../../text/facts/names.ts';
import { extractWrittenQuantities } from '../../text/facts/numbers.ts';
import { findSite } from '../../text/urls/sites.ts';
import { parseTerms, tokenizeWords } from '../../text/words/words.ts';
import type { Evidence } from '../evidence/relevance.ts';
import { selectTopicTerms } from '../evidence/relevance.ts';
import { findDimension, isAttribute, isQualifier, isReaching, toProperty } from './attributes.ts';
import { type Claim, type ClaimValue, extractClause, selectStatements } from './claims.ts';
import type { AskedValue } from './requested-values.ts';
import { STEMS } from './subject.ts';

/** Minimum share of the subject that a sentence about it contains: of one name, and of several. */
const SUBJECT_SHARE_MIN = 0.75;
const SUBJECTS_SHARE_MIN = 0.6;
/** Minimum share of the property's words in a sentence that states its value, and in one that affirms or denies it. */
const PROPERTY_SHARE_MIN = 0.5;
const WHETHER_SHARE_MIN = 0.5;
const WHETHER_CHARS_MAX = 200;
/** Matches the beginning of a sentence that continues the one before it. */
const CONTINUES =
  /^(?:it|its|he|she|they|his|her|their|this|these|yes|no)(?!\p{L})|^(?:the|a|an|in|on|on the|at)\s+\p{Ll}/iu;
const DENIES = /\b(?:not|no|never|neither|nor|without|cannot|isn't|doesn't|don't|can't|aren't|won't)\b/iu;
const CONDITIONAL =
  /\b(?:if|unless|except|only|until|before|after|some|sometimes|usually|through|partly)\b/iu;
const VERSION =
  /(?<![\p{L}\p{N}.#+-])(?:(?<name>\p{Lu}[\p{L}+#-]{0,30})|versions?|release|v\.?)\s?(?<number>\d{1,5}(?:\.\d{1,5}){0,3})(?![\p{L}\d%])/gu;
const DISTINGUISHING = /\([^()]*\)|\p{N}+|\b[IVXLC]{2,}\b/gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu;
/** Maximum distance in characters of a name from the words of the property; a more distant name answers something else. */
const NAME_DISTANCE_MAX = 25;
/** Words that introduce the name that answers each question word. */
const INTRODUCED: Record<string, RegExp> = {
  who: /\bby\s(?:the\s)?$/iu,
  where: /\b(?:in|at|near|from|to)\s(?:the\s)?$/iu,
  which: /\b(?:in|at|by|under|with)\s(?:the\s)?$/iu,
};

type Value = { value: ClaimValue; shown: string; start: number; end: number };

/** Extracts the values that passages state for what is asked: one per passage, from the sentence that contains most of the property. */
export function extractAskedClaims(asked: AskedValue, evidence: readonly Evidence[]): Claim[] {
  return evidence.flatMap((one) => {
    let best: { claim: Claim; share: number } | null = null;
    for (const text of selectSentences(asked, one)) {
      const share = computePropertyShare(asked, text);
      const min = asked.kind === 'whether' ? WHETHER_SHARE_MIN : PROPERTY_SHARE_MIN;
      if (share < min || (best !== null && share <= best.share)) continue;
      const stated = findStatedValue(text, asked, one);
      if (stated !== null) best = { share, claim: buildClaim(stated, { text, asked, one }) };
    }
    return best === null ? [] : [best.claim];
  });
}

function buildClaim(
  { value, shown, start, end }: Value,
  { text, asked, one }: { text: string; asked: AskedValue; one: Evidence },
): Claim {
  const near = tokenizeWords(extractClause(text, { start, end, after: value.kind === 'quantity' }), STEMS);
  const years = extractDates(text)
    .filter((date) => date.start !== start)
    .map(({ year }) => year);
  return {
    source: one.id,
    url: one.url,
    site: findSite(one.url),
    value,
    shown,
    asked: asked.what,
    subject: {
      shown: asked.what,
      terms: new Set(asked.subject.keys()),
      variant: findVariant(one.title, asked),
      part: [],
    },
    about: new Set(asked.property.keys()),
    qualifiers: [...new Set(near.filter((word) => isQualifier(word) && !asked.words.has(word)))]
      .sort()
      .join(' '),
    years: value.kind === 'quantity' ? [...new Set(years)].sort().join(' ') : '',
  };
}

/** Finds what distinguishes a page from its namesakes: numbers and bracketed words in its title. Null if the title lacks the subject. */
function findVariant(title: string, asked: AskedValue): string | null {
  const min = asked.isOneName ? SUBJECT_SHARE_MIN : SUBJECTS_SHARE_MIN;
  if (computeShare(asked.subject, new Set(tokenizeWords(title, STEMS))) < min) return null;
  const apart = tokenizeWords((title.match(DISTINGUISHING) ?? []).join(' '), STEMS);
  return [...new Set(apart.filter((word) => !asked.words.has(word)))].sort().join(' ');
}

/** Selects the sentences about the subject: those that name it, and those that continue them. */
function selectSentences(asked: AskedValue, { quote, title }: Evidence): string[] {
  const min = asked.isOneName ? SUBJECT_SHARE_MIN : SUBJECTS_SHARE_MIN;
  const titled = hasOtherName(title, asked) ? new Set<string>() : new Set(tokenizeWords(title, STEMS));
  let isTopic = computeShare(asked.subject, titled) >= min;
  return selectStatements(quote, { withDenials: asked.kind === 'whether' }).filter((sentence) => {
    const words = new Set(tokenizeWords(sentence, STEMS));
    // A part of the name is enough if the title contains the rest.
    const own = computeShare(asked.subject, words);
    const held = own === 0 ? 0 : computeShare(asked.subject, new Set([...words, ...titled]));
    if (held >= min) isTopic = !hasOtherName(sentence, asked);
    else if (!CONTINUES.test(sentence) && startsWithName(sentence)) isTopic = false;
    return isTopic && (held >= min || CONTINUES.test(sentence) || computeShare(asked.subject, titled) >= min);
  });
}

/** Returns whether a text begins with a longer name than the subject's, such as that of a club named after a town. */
function hasOtherName(text: string, { subject, words }: AskedValue): boolean {
  const [first] = extractNames(` ${text}`);
  if (first === undefined || first.start > 1) return false;
  const terms = selectTopicTerms(parseTerms(first.text, STEMS));
  return terms.some((term) => subject.has(term)) && terms.some((term) => !words.has(term));
}

const startsWithName = (sentence: string): boolean => (extractNames(` ${sentence}`)[0]?.start ?? 2) <= 1;

function computeShare(wanted: ReadonlyMap<string, number>, held: ReadonlySet<string>): number {
  let [share, total] = [0, 0];
  for (const [term, weight] of wanted) {
    total += weight;
    if (held.has(term)) share += weight;
  }
  return total === 0 ? 0 : share / total;
}

/** Computes the share of the asked property in a sentence. A figure that a thing reaches is its height if a height is asked for. */
function computePropertyShare({ kind, property }: AskedValue, text: string): number {
  const words = tokenizeWords(text, STEMS);
  const held = new Set(words.map(toProperty));
  const share = computeShare(property, held);
  if (share > 0 || kind !== 'quantity') return share;
  const [only, ...others] = property.keys();
  const isMeasure = only !== undefined && others.length === 0 && findDimension(only) !== null;
  return isMeasure && words.some(isReaching) && !words.some((word) => isAttribute(toProperty(word)))
    ? PROPERTY_SHARE_MIN
    : share;
}

function findStatedValue(text: string, asked: AskedValue, one: Evidence): Value | null {
  if (asked.kind === 'whether') return findWhether(text);
  return pickNearest(findValues(text, asked, one), text, asked);
}

function findWhether(text: string): Value | null {
  if (text.length > WHETHER_CHARS_MAX || CONDITIONAL.test(text)) return null;
  const value: ClaimValue = { kind: 'whether', isDenied: DENIES.test(text) };
  return { value, shown: text, start: 0, end: text.length };
}

function findValues(text: string, asked: AskedValue, { language, title }: Evidence): Value[] {
  switch (asked.kind) {
    case 'date':
      return extractDates(text).map(({ start, end, shown, year, month, day }) => ({
        start,
        end,
        shown,
        value: { kind: 'date', event: asked.what, year, month, day },
      }));
    case 'quantity': {
      const dates = extractDates(text);
      const wanted = [...asked.property.keys()].flatMap((property) => findDimension(property) ?? []);
      return extractWrittenQuantities(text, language)
        .filter(({ start, end }) => !dates.some((date) => start < date.end && date.start < end))
        .filter(({ dimension }) => wanted.length === 0 || wanted.includes(dimension))
        .map(({ start, end, shown, value, step, grain, dimension, bound }) => ({
          start,
          end,
          shown,
          value: { kind: 'quantity', value, step, grain, dimension, bound },
        }));
    }
    case 'version':
      return [...text.matchAll(VERSION)].flatMap((match): Value[] => {
        const { number = '', name = '' } = match.groups ?? {};
        const isSubject =
          asked.words.has(number) ||
          (name !== '' && !tokenizeWords(name, STEMS).some((word) => asked.words.has(word)));
        if (isSubject) return [];
        const end = match.index + match[0].length;
        return [
          { value: { kind: 'text', text: number }, shown: match[0].trim(), start: end - number.length, end },
        ];
      });
    default:
      return findNamedValues(text, asked, title);
  }
}

/** Finds the names that a sentence gives in answer, without those of the question. A leading pronoun stands for the page's subject. */
function findNamedValues(text: string, asked: AskedValue, title: string): Value[] {
  const isNew = (name: string): boolean =>
    !tokenizeWords(name, STEMS).some((word) => asked.words.has(word) || asked.subject.has(word));
  const names = extractNames(` ${text}`)
    .map((name) => ({ text: name.text, start: name.start - 1, end: name.end - 1 }))
    .filter((name) => isNew(name.text));
  const [who] = /^(?:he|she)(?!\p{L})/iu.test(text) && isNew(title) ? [title.replace(/,.*$/s, '')] : [];
  const given = who === undefined ? names : [{ text: who, start: 0, end: 0 }, ...names];
  const asking = /^(?:who|where)\b/iu.exec(asked.what)?.[0].toLowerCase() ?? 'which';
  const isActive = (start: number): boolean => start === 0 && asking !== 'where';
  const introduced = given.filter(
    ({ start }) => isActive(start) || INTRODUCED[asking]?.test(text.slice(0, start)),
  );
  return introduced.map((name) => ({
    shown: name.text,
    start: name.start,
    end: name.end,
    value: { kind: 'maker', deed: asked.what, names: [name.text] },
  }));
}

/** Picks the value nearest to the words of the property; of two equally near, the one after them. */
function pickNearest(values: readonly Value[], text: string, asked: AskedValue): Value | null {
  const places = [...text.matchAll(WORD)]
    .filter(([word]) => tokenizeWords(word, STEMS).some((term) => asked.property.has(toProperty(term))))
    .map(({ index, 0: word }) => ({ start: index, end: index + word.length }));
  let best: { value: Value; distance: number } | null = null;
  for (const value of values) {
    const distance = Math.min(
      ...places.map(({ start, end }) =>
        start >= value.end ? start - value.end + 1 : Math.max(0, value.start - end),
      ),
    );
    if (best === null || distance < best.distance) best = { value, distance };
  }
  return best !== null && (asked.kind !== 'name' || best.distance <= NAME_DISTANCE_MAX) ? best.value : null;
}
