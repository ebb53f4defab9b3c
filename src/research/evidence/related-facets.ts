import { feedbackTerms } from '../../text/query/feedback.ts';
import { type Query, readQuery } from '../../text/query/read-query.ts';
import { rarityOf } from '../../text/scoring/rarity.ts';
import { plainText } from '../../text/words/plain-text.ts';
import { isStopWord } from '../../text/words/stop-words.ts';
import { termsOf, wordsOf } from '../../text/words/words.ts';
import { namesOf } from './names.ts';
import { distinctFacets } from './question-facets.ts';
import type { Facet, Passage } from './research-types.ts';
import { tellingTerms, weightOf } from './telling-terms.ts';

/** How many of the best passages are read for related names. */
const PASSAGES_READ = 12;
const NAME_WORDS_MAX = 6;
const RELATED_TERMS = 4;
const MISSING_TERMS_MAX = 4;
/** Shorter terms mean nothing by themselves. */
const TERM_CHARS_MIN = 3;
/** Weight of a name whose sentence shares no word with the question. */
const FAR_WEIGHT = 0.2;
/** Long names count a little more than short ones. */
const LENGTH_EXPONENT = 0.25;
const SENTENCE_BREAK = /(?<=[.!?。！？])\s+|\n+/u;

type Reading = { question: string; facets: readonly Facet[]; passages: readonly Passage[]; most: number };
/** A name that pages bring up: its weight, the clause of the question nearest to it, and the words of that clause said beside it. */
type Lead = { text: string; weight: number; clause: Query; beside: ReadonlySet<string> };
type Rated = { passage: Passage; fit: number };

/**
 * What the first passages bring up and the question does not mention: names in the sentences nearest to the question, each searched for
 * with the words of the question that are still open, then the words that the passages share. At most `most`, the heaviest first.
 */
export function relatedFacets({ question, facets, passages, most }: Reading): Facet[] {
  if (most <= 0) return [];
  const best = passages
    .map((passage) => ({ passage, fit: Math.max(0, ...Object.values(passage.fits)) }))
    .sort((one, other) => other.fit - one.fit)
    .slice(0, PASSAGES_READ);
  const asked = new Set(facets.flatMap(({ query }) => wordsOfQuery(readQuery(query))));
  const titles = passages.map(({ title }) => new Set(wordsOf(title, null)));
  const whole = readQuery(question);
  const clauses = facets.filter(({ kind }) => kind === 'clause').map(({ query }) => readQuery(query));
  const leads = [...leadsOf(best, clauses.length > 0 ? clauses : [whole])].filter(
    ({ text }) => !isKnown(text, asked) && !titles.some((title) => isKnown(text, title)),
  );
  const wanted = leads
    .sort((one, other) => other.weight - one.weight || (one.text < other.text ? -1 : 1))
    .map(facetOf);
  const known = new Set(facets);
  return distinctFacets([...facets, ...wanted, ...sharedWords(best, whole)])
    .filter((facet) => !known.has(facet) && facet.kind === 'related')
    .slice(0, most);
}

const wordsOfQuery = (query: Query): string[] => query.terms(null).map(({ text }) => text);

const isKnown = (name: string, words: ReadonlySet<string>): boolean =>
  tellingTerms(termsOf(name, null)).every((term) => words.has(term));

function leadsOf(best: readonly Rated[], clauses: readonly Query[]): Iterable<Lead> {
  const leads = new Map<string, Lead>();
  for (const { passage, fit } of best) {
    const above = new Set(wordsOf(`${passage.title} ${passage.headingPath.join(' ')}`, passage.language));
    for (const sentence of plainText(passage.quote).split(SENTENCE_BREAK)) {
      const near = nearest(sentence, clauses, { above, language: passage.language });
      for (const { text } of namesOf(` ${sentence}`)) {
        if (text.split(' ').length > NAME_WORDS_MAX || text.length < TERM_CHARS_MIN) continue;
        const weight =
          fit * (FAR_WEIGHT + near.share) * weightOf(tellingTerms(termsOf(text, null))) ** LENGTH_EXPONENT;
        const known = leads.get(text);
        if (known === undefined || known.weight < weight)
          leads.set(text, { text, weight, clause: near.clause, beside: near.beside });
      }
    }
  }
  return leads.values();
}

type Near = { clause: Query; share: number; beside: ReadonlySet<string> };

/** The clause that shares most with a sentence, and its words that occur in the sentence or in the headings above it. */
function nearest(
  sentence: string,
  clauses: readonly Query[],
  { above, language }: { above: ReadonlySet<string>; language: string | null },
): Near {
  const words = new Set(wordsOf(sentence, language));
  let best: Near = { clause: clauses[0] ?? readQuery(''), share: -1, beside: new Set() };
  for (const clause of clauses) {
    const terms = tellingTerms(clause.terms(language));
    const said = terms.filter((term) => words.has(term));
    const share = weightOf(said) / Math.max(weightOf(terms), Number.EPSILON);
    if (share > best.share)
      best = { clause, share, beside: new Set(terms.filter((term) => words.has(term) || above.has(term))) };
  }
  return best;
}

/** The name with the words of the question that its sentence does not contain: they are what it may answer. */
function facetOf({ text, clause, beside }: Lead): Facet {
  const missing = wordsByTerm(clause)
    .filter(({ term }) => !beside.has(term))
    .sort((one, other) => rarityOf(other.term) - rarityOf(one.term))
    .slice(0, MISSING_TERMS_MAX)
    .sort((one, other) => one.place - other.place)
    .map(({ word }) => word);
  return { kind: 'related', facet: text, query: [text, ...missing].join(' ') };
}

/** The meaningful words of a question in their original spelling. */
function wordsByTerm(question: Query): { term: string; word: string; place: number }[] {
  const telling = new Set(tellingTerms(question.terms('en')));
  return [...question.text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}_.+#-]*/gu)].flatMap(
    ({ 0: word, index }) => {
      const [term = ''] = wordsOf(word, 'en');
      return telling.has(term) ? [{ term, word: word.replace(/(?<![.-])[.-]+$/, ''), place: index }] : [];
    },
  );
}

/** One facet of the words that the passages share beyond the question. */
function sharedWords(best: readonly Rated[], question: Query): Facet[] {
  const asked = new Set(wordsOfQuery(question));
  const exemplars = best.map(({ passage, fit }) => ({
    title: passage.title,
    text: plainText(passage.quote),
    language: passage.language,
    score: fit,
  }));
  const isNew = (term: string): boolean =>
    term.length >= TERM_CHARS_MIN && !asked.has(term) && !isStopWord(term) && !/^\p{N}+$/u.test(term);
  const terms = feedbackTerms(exemplars, (term) => (isNew(term) ? rarityOf(term) : 0))
    .slice(0, RELATED_TERMS)
    .map(({ text }) => text);
  const named = namesOf(question.text)[0]?.text ?? '';
  return terms.length === 0
    ? []
    : [{ kind: 'related', facet: terms.join(' '), query: `${named} ${terms.join(' ')}`.trim() }];
}
