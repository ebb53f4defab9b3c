import { extractNames } from '../../text/facts/names.ts';
import { isStopWord } from '../../text/words/stop-words.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import { isEvent, isJoining } from './attributes.ts';

/** The thing that a sentence is about: its name as shown, and its stems. */
export type Subject = {
  shown: string;
  terms: ReadonlySet<string>;
  /**
   * The part of the page's title that distinguishes it from its namesakes: `(Volume 3)`, `, 1964`. Null if the page is about
   * something else.
   */
  variant: string | null;
  /** Stems of the part that the sentence begins with (`The lantern room is …`); empty if it begins with the name or a pronoun. */
  part: readonly string[];
};

/** Maximum words before the verb that name a part of the subject, in a sentence that begins with a noun instead of the name. */
const NOUN_WORDS_MAX = 10;
const VERB = /^(?:is|was|are|were|has|had|have|can|will)$/;
const PRONOUN =
  /^(?:it|its|he|she|they|his|her|their|this|these|there|we|er|sie|es|il|elle|ils|elles|él|ella)(?!\p{L})/iu;

/** Stemming language: claims in all languages are compared with each other, so all are stemmed as English. */
export const STEMS = 'en';

const LEADING_PLACE =
  /^(?:in|at|on|near|during|after|before|since|from|by|with|despite|unlike|according to|im|am|nach|seit|en|dans|à|depuis)\s[^,]{1,80},\s*/iu;
const TITLE_EDGE = /(?<!\s)\s+[-–—|·:]\s[\s\S]*$|(?:(?<!\s)\s+)?\([^()]*\)\s*$/u;
const DISTINGUISHING = /\([^()]*\)|\p{N}+/gu;
/** `In 1781 James Watt …` */
const LEADING_DATE =
  /^(?:in|on|by|since|im|en|am)\s(?:(?:early|late|the\s+year)\s+)?(?:\p{L}+\s+)?(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?(?:\p{L}+,?\s+)?\d{4}\s*,?\s+/iu;
const OPENING_WORDS = 3;
const ARTICLE = /^(?:der|die|das|le|la|les|el|los|las|il|o|a)$/iu;
/** Matches what may follow the name of a subject; a noun would make it the name of something else. */
const FOLLOWING =
  /^(?:$|[,(:–—]|['’]s\b|\s+(?:is|was|are|were|has|had|have|been|being|which|who|that|also|first|now|still|today|currently|officially|itself|and|with|in|at|on|of|from|hat|hatte|ist|war|wurde|sind|waren|est|était|a|fut|es|fue|tiene|è|fu|ha|был|была|было|имеет)(?!\p{L}))/u;

/** Finds the subject of a sentence: the name that it begins with, otherwise the subject of the page. Null if neither is known. */
export function findSubject(
  sentence: string,
  { title, firstValue }: { title: string; firstValue: number },
): Subject | null {
  const placeless = sentence.replace(LEADING_DATE, '').replace(LEADING_PLACE, '');
  const offset = sentence.length - placeless.length;
  const [first] = extractNames(` ${placeless}`);
  if (first !== undefined && first.start - 1 + offset < firstValue) {
    const opening = placeless.slice(0, Math.max(0, first.start - 1)).trim();
    const isOpening = opening.split(/\s+/).length <= OPENING_WORDS && isArticle(opening);
    if (opening === '' || isOpening) {
      const isWhole = canFollow(placeless.slice(first.end - 1));
      return isWhole ? buildSubject(first.text, { title, part: [] }) : null;
    }
  }
  return buildSubject(title.replace(TITLE_EDGE, '').trim(), { title, part: extractPart(placeless) });
}

function canFollow(rest: string): boolean {
  if (FOLLOWING.test(rest)) return true;
  const next = /^\s+(?<word>\p{L}+)/u.exec(rest)?.groups?.word ?? '';
  const [term = ''] = tokenizeWords(next, STEMS);
  return isEvent(term) || isJoining(term) || /(?:ed|[^s]s)$/.test(next);
}

const isArticle = (opening: string): boolean =>
  opening.split(/\s+/).every((word) => isStopWord(word.toLowerCase()) || ARTICLE.test(word));

function extractPart(sentence: string): string[] {
  if (PRONOUN.test(sentence)) return [];
  const words = sentence.split(/\s+/).slice(0, NOUN_WORDS_MAX);
  const verb = words.findIndex((word) => VERB.test(word) || isEvent(tokenizeWords(word, STEMS)[0] ?? ''));
  return tokenizeWords(words.slice(0, verb === -1 ? 3 : verb).join(' '), STEMS).filter(
    (term) => !isStopWord(term),
  );
}

function buildSubject(shown: string, { title, part }: { title: string; part: string[] }): Subject | null {
  const terms = new Set(tokenizeWords(shown, STEMS).filter((word) => !isStopWord(word)));
  if (terms.size === 0) return null;
  const inTitle = new Set(tokenizeWords(title, STEMS));
  const isTitled = [...terms].every((term) => inTitle.has(term));
  const apart = tokenizeWords((title.match(DISTINGUISHING) ?? []).join(' '), STEMS).filter(
    (term) => !terms.has(term),
  );
  return {
    shown,
    terms,
    part: part.filter((term) => !terms.has(term)),
    variant: isTitled ? [...new Set(apart)].sort().join(' ') : null,
  };
}
