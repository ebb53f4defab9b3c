import { quoted } from './index-marks.ts';
import { TIERS } from './index-tokens.ts';

/** A term of the query that the index holds. */
export type CandidateTerm = { forms: string[]; weight: number; frequency: number };

/** What candidates are drawn from: the index behind the filters of the query. */
type TermLists = {
  /** Pages that match an FTS5 expression, at most `limit`, in no order of worth. */
  pages(match: string, limit: number): number[];
  /** How many pages hold a token, filters aside. */
  frequency(token: string): number;
};

type Tier = 'plain' | keyof typeof TIERS;

/** What a page gains for holding a term in this way, beside the term's weight: about what BM25 gives there. */
const WORTH: Record<Tier, number> = { plain: 0.4, title: 0.75, heading: 0.5, strong: 0.68, dominant: 0.85 };

/**
 * Terms that are combined: the rarest of a short query; of a longer one those that weigh most, since what it says twice is
 * what it is about, and its rarest word may be there by chance.
 */
const COMBINED = { short: 6, long: 8, shortWordsMax: 7 };
/** A question that more pages are expected to answer is put more strictly; the more questions, the fewer answers each. */
const ANSWERS_EXPECTED = [
  { wordsMax: 3, pair: 2_000, single: 3_000 },
  { wordsMax: 7, pair: 600, single: 600 },
  { wordsMax: Number.POSITIVE_INFINITY, pair: 1_200, single: 1_200 },
];
/** So few pages are candidates one and all. */
const RARE = 50;
const ANSWERS_MAX = 8_000;
/** With fewer candidates than this every page with any of the words is looked at. */
const CANDIDATES_FEW = 40;
const CANDIDATES_MAX = 250;

type Part = { term: CandidateTerm; tier: Tier };

/**
 * Pages that are worth scoring, the most promising first: found by conjunctions of words, of rare pairs and of words that a
 * page is rich in, each cheap because some short list bounds it; by any word at all only when those give next to nothing.
 */
export function candidatesOf(terms: CandidateTerm[], lists: TermLists, pages: number): number[] {
  const rarest = [...terms].sort((left, right) => left.frequency - right.frequency);
  const evidence = createEvidence();
  for (const parts of questionsOf(rarest, lists, pages)) {
    const match = parts.map(expression).join(' AND ');
    evidence.add(parts, lists.pages(match, ANSWERS_MAX));
  }
  if (evidence.size() < CANDIDATES_FEW && rarest.length > 0) {
    const any = rarest.map((term) => expression({ term, tier: 'plain' })).join(' OR ');
    const parts = rarest.slice(-1).map((term): Part => ({ term, tier: 'plain' }));
    evidence.add(parts, lists.pages(any, ANSWERS_MAX));
  }
  return evidence.best(CANDIDATES_MAX);
}

function expression({ term, tier }: Part): string {
  const prefix = tier === 'plain' ? '' : TIERS[tier];
  return `(${term.forms.map((form) => quoted(prefix + form)).join(' OR ')})`;
}

/** The questions to put, each a conjunction. */
function questionsOf(rarest: CandidateTerm[], lists: TermLists, pages: number): Part[][] {
  const top = combinedOf(rarest);
  const count = (part: Part): number => frequencyOf(part, lists);
  const expected = ANSWERS_EXPECTED.find(({ wordsMax }) => rarest.length <= wordsMax);
  if (expected === undefined) return [];
  const counting = { count, pages, answersMax: expected.pair };
  const questions: Part[][] = [];
  if (rarest.length > 2) questions.push(rarest.map((term) => ({ term, tier: 'plain' })));
  for (const [index, left] of top.entries()) {
    for (const right of top.slice(index + 1)) questions.push(...pairQuestions(left, right, counting));
  }
  for (const term of top)
    questions.push(...singleQuestions(term, { ...counting, answersMax: expected.single }));
  return questions;
}

function combinedOf(rarest: CandidateTerm[]): CandidateTerm[] {
  if (rarest.length <= COMBINED.shortWordsMax) return rarest.slice(0, COMBINED.short);
  return [...rarest]
    .sort((left, right) => right.weight - left.weight || left.frequency - right.frequency)
    .slice(0, COMBINED.long);
}

type Counting = { count: (part: Part) => number; pages: number; answersMax: number };

/** Two words together: anywhere if that is rare enough, else where a page is rich in one of them, or in both. */
function pairQuestions(
  left: CandidateTerm,
  right: CandidateTerm,
  { count, pages, answersMax }: Counting,
): Part[][] {
  const variants: [Tier, Tier][][] = [
    [['plain', 'plain']],
    [
      ['strong', 'plain'],
      ['plain', 'strong'],
    ],
    [['strong', 'strong']],
    [['dominant', 'dominant']],
  ];
  const questions: Part[][] = [
    [
      { term: left, tier: 'heading' },
      { term: right, tier: 'heading' },
    ],
  ];
  for (const variant of variants) {
    const pairs = variant.map(([a, b]): [Part, Part] => [
      { term: left, tier: a },
      { term: right, tier: b },
    ]);
    const expected = pairs.reduce(
      (sum, [a, b]) => sum + Math.min(count(a), count(b), (2 * count(a) * count(b)) / pages),
      0,
    );
    if (expected > answersMax) continue;
    questions.push(...pairs);
    break;
  }
  return questions;
}

/** One word: in the title, and in the ways that are rare enough; simply anywhere when it is rare. */
function singleQuestions(term: CandidateTerm, { count, answersMax }: Counting): Part[][] {
  if (term.frequency <= RARE) return [[{ term, tier: 'plain' }]];
  const tiers = (['title', 'dominant', 'strong', 'plain'] as const).filter(
    (tier) => count({ term, tier }) <= answersMax,
  );
  return tiers.map((tier) => [{ term, tier }]);
}

function frequencyOf({ term, tier }: Part, lists: TermLists): number {
  if (tier === 'plain') return term.frequency;
  return term.forms.reduce((sum, form) => sum + lists.frequency(TIERS[tier] + form), 0);
}

/** Collects what is known of each page: per term the best way in which it was seen to hold it. */
function createEvidence() {
  const seen = new Map<number, Map<CandidateTerm, number>>();
  return {
    size: () => seen.size,
    add(parts: Part[], ids: number[]): void {
      for (const id of ids) {
        let known = seen.get(id);
        if (known === undefined) {
          known = new Map();
          seen.set(id, known);
        }
        for (const { term, tier } of parts) known.set(term, Math.max(known.get(term) ?? 0, WORTH[tier]));
      }
    },
    best(limit: number): number[] {
      const sums: [number, number][] = [];
      for (const [id, known] of seen) {
        let sum = 0;
        for (const [term, worth] of known) sum += term.weight * worth;
        sums.push([id, sum]);
      }
      sums.sort((left, right) => right[1] - left[1]);
      return sums.slice(0, limit).map(([id]) => id);
    },
  };
}
