import { toVisibleText } from '../markup/visible-text.ts';
import { computeRarity } from '../scoring/rarity.ts';
import { isUnspaced } from '../words/scripts.ts';
import { isStopWord } from '../words/stop-words.ts';
import { tokenizeWords } from '../words/words.ts';

/** A page whose topic is to be determined. */
export type TopicPage = { title: string; markdown: string; language: string | null };

/** The number of pages of an index that contain each term; terms in no page are left out. */
export type TermFrequencies = { pages: number; frequencies: ReadonlyMap<string, number> };

/** A term of a page's topic: its stem, its most frequent spelling on the page, and its weight (the heaviest is 1). */
type TopicTerm = { term: string; word: string; weight: number };

/** The topic of a page: its terms, the heaviest first, and pairs of them that are often adjacent. */
export type Topic = { terms: TopicTerm[]; pairs: { left: string; right: string }[] };

/** Terms that describe a topic to a search engine; more would find only the page itself. */
export const QUERY_TERMS = 8;
/** Characters read: the beginning of a page names its subject, and reading on would only cost time on the event loop. */
const CHARS_READ = 20_000;
const TERMS_KEPT = 120;
const PAIRS_KEPT = 4;
const PAIR_COUNT_MIN = 2;
const DIGITS_MIN = 4;
/** The weight of an occurrence in the title relative to one in the text. */
const TITLE_COUNT = 3;
/** A word that is mostly capitalised within sentences is a name. */
const NAME_BOOST = 1.3;
const NAME_SHARE_MIN = 0.6;
/** Number of pages from which the index is as informative about a word as the rank table. */
const BACKGROUND_PAGES_HALF = 1_000;
const TOKEN = /[\p{L}\p{N}\p{M}]+/gu;
const SENTENCE_START = /(?:^|[.!?:;\n|#>"“(*-])\s{0,3}$/;

/** The words of a page, read to determine its topic. */
type TopicWords = { tokens: readonly Token[]; tallies: ReadonlyMap<string, Tally> };

type Token = { term: string; word: string; isLarge: boolean; inTitle: boolean };
type Tally = { count: number; large: number; words: Map<string, number> };

/** Reads the beginning of a page. The keys of `tallies` are the terms whose frequencies `computeTopic` needs. */
export function readTopicWords({ title, markdown, language }: TopicPage): TopicWords {
  const tokens = [
    ...readTokens(title, { language, inTitle: true }),
    ...readTokens(toVisibleText(markdown.slice(0, CHARS_READ)), { language, inTitle: false }),
  ];
  return { tokens, tallies: tallyTokens(tokens) };
}

/** Computes the topic of a page: words of its title, and words that are frequent in it and rare elsewhere. */
export function computeTopic({ tokens, tallies }: TopicWords, background: TermFrequencies): Topic {
  const weighed = [...tallies]
    .map(([term, tally]) => ({
      term,
      word: findCommonest(tally.words),
      weight: computeWeight(term, tally, background),
    }))
    .filter(({ weight }) => weight > 0)
    .sort((left, right) => right.weight - left.weight || (left.term < right.term ? -1 : 1))
    .slice(0, TERMS_KEPT);
  const most = weighed[0]?.weight ?? 1;
  const terms = weighed.map((one) => ({ ...one, weight: one.weight / most }));
  return { terms, pairs: findPairs(tokens, new Set(terms.slice(0, QUERY_TERMS).map(({ term }) => term))) };
}

/** Builds a query from the heaviest words of a topic; words that are adjacent on the page stay adjacent. */
export function buildTopicQuery({ terms, pairs }: Topic): string {
  const chosen = new Map(terms.slice(0, QUERY_TERMS).map(({ term, word }) => [term, word]));
  const out: string[] = [];
  const take = (term: string): void => {
    const word = chosen.get(term);
    if (word !== undefined) out.push(word);
    chosen.delete(term);
  };
  for (const term of [...chosen.keys()]) {
    if (!chosen.has(term)) continue;
    const before = pairs.find(({ right, left }) => right === term && chosen.has(left));
    if (before !== undefined) take(before.left);
    take(term);
    const after = pairs.find(({ left, right }) => left === term && chosen.has(right));
    if (after !== undefined) take(after.right);
  }
  return out.join(' ');
}

/** Measures the overlap of two topics from 0 to 1: the cosine of their weights. */
export function measureTopicOverlap(left: Topic, right: Topic): number {
  const weights = new Map(right.terms.map(({ term, weight }) => [term, weight]));
  let shared = 0;
  for (const { term, weight } of left.terms) shared += weight * (weights.get(term) ?? 0);
  const lengths = measureLength(left) * measureLength(right);
  return lengths === 0 ? 0 : Math.min(1, shared / lengths);
}

const measureLength = ({ terms }: Topic): number => Math.hypot(...terms.map(({ weight }) => weight));

function readTokens(
  text: string,
  { language, inTitle }: { language: string | null; inTitle: boolean },
): Token[] {
  return [...text.matchAll(TOKEN)].flatMap((match): Token[] => {
    const [word] = match;
    const startsSentence = SENTENCE_START.test(text.slice(Math.max(0, match.index - 3), match.index));
    const isLarge = !inTitle && !startsSentence && /^\p{Lu}/u.test(word);
    const terms = tokenizeWords(word, language);
    // The whole identifier comes first; in a script without spaces every gram is a word.
    if (isUnspaced(word)) return terms.map((term) => ({ term, word: term, isLarge: false, inTitle }));
    return terms.slice(0, 1).map((term) => ({ term, word, isLarge, inTitle }));
  });
}

function tallyTokens(tokens: readonly Token[]): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { term, word, isLarge, inTitle } of tokens) {
    if (!isTelling(term)) continue;
    const tally = tallies.get(term) ?? { count: 0, large: 0, words: new Map() };
    tallies.set(term, tally);
    tally.count += inTitle ? TITLE_COUNT : 1;
    tally.large += isLarge ? 1 : 0;
    tally.words.set(word, (tally.words.get(word) ?? 0) + 1);
  }
  return tallies;
}

const isTelling = (term: string): boolean =>
  !isStopWord(term) && (/^\p{N}+$/u.test(term) ? term.length >= DIGITS_MIN : term.length > 1);

function findCommonest(words: Map<string, number>): string {
  const [first] = [...words].sort((left, right) => right[1] - left[1]);
  return first?.[0] ?? '';
}

function computeWeight(term: string, tally: Tally, { pages, frequencies }: TermFrequencies): number {
  const inIndex = Math.log((pages + 1) / ((frequencies.get(term) ?? 0) + 1)) / Math.log(pages + 2);
  const trust = pages / (pages + BACKGROUND_PAGES_HALF);
  const rarity = trust * Math.max(0, inIndex) + (1 - trust) * computeRarity(term);
  const isName = tally.large / tally.count >= NAME_SHARE_MIN;
  return tally.count * rarity * (isName ? NAME_BOOST : 1);
}

/** Returns pairs of chosen terms that are adjacent at least twice. */
function findPairs(tokens: readonly Token[], chosen: Set<string>): Topic['pairs'] {
  const counts = new Map<string, { left: string; right: string; count: number }>();
  for (const [place, { term: right }] of tokens.entries()) {
    const left = tokens[place - 1]?.term;
    if (left === undefined || left === right || !chosen.has(left) || !chosen.has(right)) continue;
    const pair = counts.get(`${left} ${right}`) ?? { left, right, count: 0 };
    pair.count += 1;
    counts.set(`${left} ${right}`, pair);
  }
  return [...counts.values()]
    .filter(({ count }) => count >= PAIR_COUNT_MIN)
    .sort((left, right) => right.count - left.count)
    .slice(0, PAIRS_KEPT)
    .map(({ left, right }) => ({ left, right }));
}
