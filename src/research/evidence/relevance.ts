import { findEncoder } from '../../text/embeddings/encoder-for.ts';
import { computeCosine } from '../../text/embeddings/static-encoder.ts';
import { extractNames } from '../../text/facts/names.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { computeRarity } from '../../text/scoring/rarity.ts';
import { isStopWord, REQUEST_WORDS } from '../../text/words/stop-words.ts';
import { parseTerms, type Term, tokenizeWords } from '../../text/words/words.ts';

/** Words that ask or compare, which no page would contain as its topic. */
const ASKING = new Set(
  tokenizeWords(
    `${REQUEST_WORDS.join(' ')} describe list compare compared comparison versus vs difference differences different between better best worse who what when where which why how many much long old`,
    'en',
  ),
);
/** Strips the suffix of an agent noun (`inventor` -> `invent`), because a page may use the verb where the question has the noun. */
export const toRoot = (term: string): string => term.replace(/(?<=\p{L}{4})(?:er|or)$/u, '');

/** Weight of a word in the title or the headings relative to one in the passage. */
const ABOVE_WEIGHT = 0.8;
/** Share of the relevance that comes from the part of the question that the passage fits best; the rest comes from the whole question. */
const PART_SHARE = 0.6;
/** Share of the names of a question (the second: of its only name) from which a passage counts as containing all of them. */
const NAMED_ENOUGH = 0.4;
const ONE_NAMED_ENOUGH = 0.8;
/** Share of its relevance that a passage without any name of the question keeps. */
const UNNAMED_SHARE = 0.25;
/** Boost for a page whose title is one of several names in the question, and the maximum relevance that it gives. */
const TITLED_FACTOR = 1.6;
const TITLED_MAX = 0.6;
/** Share of the relevance that depends on the similarity in meaning, if the language has an encoder. */
const MEANING_SHARE = 0.25;
/** Cosine from which two texts count as fully similar, and the similarity assumed if it is unknown. */
const ALIKE_ENOUGH = 0.5;
const ALIKE_UNKNOWN = 0.5;
/** Minimum relevance of evidence: absolute, and as a share of the best passage's. */
const RELEVANCE_MIN = 0.27;
const RELEVANCE_SHARE_MIN = 0.5;
/** Share of the words of a part from which a passage counts as answering it. */
const ANSWERED_SHARE = 0.9;
/** Shares of a page's relevance that passages on a name it brought up get: always, if the page is about the name, and by their fit. */
const BROUGHT_SHARE = 0.6;
const BROUGHT_TITLED_SHARE = 0.2;
const BROUGHT_OPEN_SHARE = 0.2;
/** A passage on such a name leads on if it contains this share of the words still open, or has this similarity to the question. */
const OPEN_SHARE_MIN = 0.15;
const LEADING_ALIKE_MIN = 0.6;
/** Minimum share of its title that the name makes up if a page is about the name. */
const TITLE_SHARE_MIN = 0.75;

const PARTS: ReadonlySet<FacetKind> = new Set(['question', 'clause', 'side', 'comparison']);

/** The terms and names of one part of the question, in one language. */
type Part = { terms: string[]; total: number; names: { terms: string[]; weight: number }[] };
type PassageReading = {
  passage: Passage;
  inside: ReadonlySet<string>;
  above: ReadonlySet<string>;
  alike: number | null;
};

/**
 * Scores how much each passage says about the whole question, from 0 to 1, in the order of `passages`: by the share of the question's
 * words that it contains, above all of its names, and by its similarity in meaning. A passage about a name that another page brought
 * up gets a share of that page's relevance; in the end (`isFinal`) only if it, or what it brought up in turn, says something that was
 * still open.
 */
export function scoreRelevances(
  passages: readonly Passage[],
  facets: readonly Facet[],
  { isFinal }: { isFinal: boolean },
): number[] {
  const partsIn = memoizeByLanguage((language) => buildParts(facets, language));
  const read = readAll(passages, facets[0]?.query ?? '');
  const related = facets.flatMap((facet, place) => (facet.from === undefined ? [] : [place]));
  const leading = isFinal ? findLeadingFacets(read, facets, related) : new Set(related);
  const relevances = read.map((one) => {
    let best = computeDirectRelevance(partsIn(one.passage.language), one);
    for (const place of leading) best = Math.max(best, computeRelevanceByName(facets[place], place, one));
    return best;
  });
  if (!isFinal) return relevances;
  // A page that leads on is needed, however many steps led to it.
  const floor = computeRelevanceFloor(relevances);
  return relevances.map((relevance, at) => {
    const isNeeded = [...leading].some((place) => isAbout(facets[place], place, read[at]));
    return isNeeded ? Math.max(relevance, floor) : relevance;
  });
}

/** Returns whether a passage is from a page about the name of a related facet. */
function isAbout(facet: Facet | undefined, place: number, read: PassageReading | undefined): boolean {
  if (facet === undefined || read === undefined || (read.passage.fits[place] ?? 0) === 0) return false;
  return isTitle(read.passage.title, facet.facet, read.passage.language);
}

/** Computes the relevance below which a passage is no evidence, from the relevances of all passages. */
export const computeRelevanceFloor = (relevances: readonly number[]): number =>
  Math.max(RELEVANCE_MIN, RELEVANCE_SHARE_MIN * Math.max(0, ...relevances));

/** Finds the parts of the question of which no single passage contains nearly all words. */
export function findOpenParts(passages: readonly Passage[], facets: readonly Facet[]): Facet[] {
  const read = readAll(passages, null);
  return listLeaves(facets).filter((leaf) => {
    const partsIn = memoizeByLanguage((language) => buildParts([leaf], language));
    const shares = read.flatMap((one) =>
      partsIn(one.passage.language).map((part) => computeCoverage(part, one)),
    );
    return shares.length > 0 && Math.max(...shares) < ANSWERED_SHARE;
  });
}

/** Finds the words of the question that a passage contains. */
export function findHeldTerms(passage: Passage, question: string): string[] {
  const { inside, above } = readPassageWords(passage);
  return listAskedTerms(question, passage.language).filter((term) => inside.has(term) || above.has(term));
}

/** Returns whether a page with this title is about the name. */
export function isTitle(title: string, name: string, language: string | null): boolean {
  const words = selectTopicTerms(parseTerms(title, language));
  const named = selectTopicTerms(parseTerms(name, language));
  return isMadeOf(words, named);
}

function isMadeOf(title: readonly string[], name: readonly string[]): boolean {
  return (
    name.length > 0 &&
    name.every((term) => title.includes(term)) &&
    sumWeights(name) >= TITLE_SHARE_MIN * sumWeights(title)
  );
}

/** Lists the clauses or sides of a question; the whole if it has none. */
function listLeaves(facets: readonly Facet[]): Facet[] {
  const leaves = facets.filter(({ kind }) => kind === 'clause' || kind === 'side');
  return leaves.length > 0 ? leaves : facets.slice(0, 1);
}

const listAskedTerms = (question: string, language: string | null): string[] =>
  selectTopicTerms(readQuery(question).terms(language));

function readPassageWords({
  title,
  headingPath,
  quote,
  language,
}: Passage): Pick<PassageReading, 'inside' | 'above'> {
  return {
    inside: new Set(tokenizeWords(quote, language)),
    above: new Set(tokenizeWords(`${title} ${headingPath.join(' ')}`, language)),
  };
}

function memoizeByLanguage<Value>(
  make: (language: string | null) => Value,
): (language: string | null) => Value {
  const made = new Map<string | null, Value>();
  return (language) => {
    const known = made.get(language) ?? make(language);
    made.set(language, known);
    return known;
  };
}

function buildParts(facets: readonly Facet[], language: string | null): Part[] {
  return facets
    .filter(({ kind }) => PARTS.has(kind))
    .map(({ query }) => {
      const terms = listAskedTerms(query, language);
      return { terms, total: sumWeights(terms), names: findSubjects(query, terms, language) };
    })
    .filter(({ total }) => total > 0);
}

/** Finds the subjects of a part: the names in it, or its rare words if it names nothing. */
function findSubjects(query: string, terms: readonly string[], language: string | null): Part['names'] {
  const names = extractNames(query)
    .map(({ text }) => selectTopicTerms(parseTerms(text, language)))
    .filter((name) => name.length > 0);
  const subjects =
    names.length > 0 ? names : terms.filter((term) => computeRarity(term) === 1).map((term) => [term]);
  return subjects.map((subject) => ({ terms: subject, weight: sumWeights(subject) }));
}

function computeDirectRelevance(parts: readonly Part[], read: PassageReading): number {
  const [whole] = parts;
  if (whole === undefined) return 0;
  const ofWhole = computeCoverage(whole, read);
  const title = selectTopicTerms(parseTerms(read.passage.title, read.passage.language));
  let best = 0;
  for (const part of parts) {
    const lexical = PART_SHARE * computeCoverage(part, read) + (1 - PART_SHARE) * ofWhole;
    const relevance = lexical * computeNameFactor(part, read);
    const isTitled = part.names.length > 1 && part.names.some((name) => isMadeOf(title, name.terms));
    best = Math.max(best, relevance, isTitled ? Math.min(TITLED_MAX, relevance * TITLED_FACTOR) : 0);
  }
  return best * (1 - MEANING_SHARE + MEANING_SHARE * (read.alike ?? ALIKE_UNKNOWN));
}

function computeCoverage({ terms, total }: Part, { inside, above }: PassageReading): number {
  let weight = 0;
  for (const term of terms) {
    if (inside.has(term)) weight += computeRarity(term);
    else if (above.has(term)) weight += ABOVE_WEIGHT * computeRarity(term);
  }
  return weight / total;
}

function computeNameFactor({ names }: Part, { inside, above }: PassageReading): number {
  if (names.length === 0) return 1;
  let held = 0;
  let total = 0;
  for (const { terms, weight } of names) {
    // Squared, because half of a name mostly belongs to another name.
    held += sumWeights(terms.filter((term) => inside.has(term) || above.has(term))) ** 2 / weight;
    total += weight;
  }
  const enough = names.length === 1 ? ONE_NAMED_ENOUGH : NAMED_ENOUGH;
  return UNNAMED_SHARE + (1 - UNNAMED_SHARE) * Math.min(1, held / total / enough);
}

/** Finds the related facets with a passage that leads on, and the facets that led to them. */
function findLeadingFacets(
  read: readonly PassageReading[],
  facets: readonly Facet[],
  related: readonly number[],
): Set<number> {
  const leading = new Set<number>();
  for (const place of related) {
    const { from } = facets[place] ?? {};
    const isLeading = ({ passage, inside, alike }: PassageReading): boolean => {
      if (from === undefined || (passage.fits[place] ?? 0) === 0) return false;
      const open = listAskedTerms(facets[0]?.query ?? '', passage.language).filter(
        (term) => !from.held.includes(term),
      );
      const share = sumWeights(open.filter((term) => inside.has(term))) / Math.max(1, sumWeights(open));
      return share >= OPEN_SHARE_MIN || (open.length > 0 && (alike ?? 0) >= LEADING_ALIKE_MIN);
    };
    if (read.some(isLeading)) for (const one of [place, ...(from?.via ?? [])]) leading.add(one);
  }
  // The last page in a chain of names may answer in its own words.
  const last = related.findLast((place) => read.some((one) => isAbout(facets[place], place, one)));
  const row = last === undefined ? [] : (facets[last]?.from?.via ?? []);
  if (last !== undefined && row.some((place) => leading.has(place))) leading.add(last);
  return leading;
}

function computeRelevanceByName(facet: Facet | undefined, place: number, read: PassageReading): number {
  const fit = read.passage.fits[place] ?? 0;
  if (facet?.from === undefined || fit === 0) return 0;
  const titled = isAbout(facet, place, read) ? BROUGHT_TITLED_SHARE : 0;
  return facet.from.relevance * (BROUGHT_SHARE + titled + BROUGHT_OPEN_SHARE * fit);
}

/** Reads the words of each passage and its similarity to the question: null without a question, or if no encoder knows the language. */
function readAll(passages: readonly Passage[], question: string | null): PassageReading[] {
  const alike = question === null ? [] : computeSimilarities(passages, question);
  return passages.map((passage, place) => ({
    passage,
    ...readPassageWords(passage),
    alike: alike[place] ?? null,
  }));
}

function computeSimilarities(passages: readonly Passage[], question: string): (number | null)[] {
  const askedBy = memoizeByLanguage((language) => findEncoder(language)?.embed([question])[0] ?? null);
  return passages.map(({ title, quote, language }) => {
    const asked = askedBy(language);
    const [vector] = asked === null ? [] : (findEncoder(language)?.embed([`${title}. ${quote}`]) ?? []);
    if (asked === null || vector === undefined) return null;
    return Math.min(1, Math.max(0, computeCosine(asked, vector) / ALIKE_ENOUGH));
  });
}

/** Selects the distinct terms that carry a topic, without stop words and words that only ask. */
export function selectTopicTerms(terms: readonly Term[]): string[] {
  const distinct = new Set(terms.map(({ text }) => text));
  return [...distinct].filter((term) => !isStopWord(term) && !ASKING.has(term));
}

/** Sums the weights of terms; rare terms weigh more. */
export function sumWeights(terms: Iterable<string>): number {
  let weight = 0;
  for (const term of terms) weight += computeRarity(term);
  return weight;
}

/**
 * The kind of a facet: the whole question, one of its clauses, one side of a comparison, the comparison itself, a named thing, or a
 * name that the first results brought up.
 */
export type FacetKind = 'question' | 'clause' | 'side' | 'comparison' | 'name' | 'related';

/** One thing to find out. `facet` names it in the words of the caller (or of a page), `query` is the search for it. */
export type Facet = {
  kind: FacetKind;
  facet: string;
  query: string;
  /** The origin of the name of a `related` facet. */
  from?: Origin;
};

/**
 * The passage that brought up a name: its relevance, the words of the question that it and the passages before it contain, and the
 * facets that led to it.
 */
export type Origin = { relevance: number; held: string[]; via: number[] };

/** A facet with its index among all facets. */
export type PlacedFacet = { place: number; facet: Facet };

/** A page to take passages from. Plain data, because it is sent to threads. */
export type ResearchPage = {
  url: string;
  title: string;
  /** YYYY-MM-DD, or null when unknown. */
  publishedDay: string | null;
  language: string | null;
  /** The language that passages are scored in; absent: `language`, or a guess. */
  textLanguage?: string | null;
  markdown: string;
  /** Scores of 0 to 1 that the searches gave the page: place of the facet -> score. */
  found: Record<number, number>;
};

/** A passage of a page and how well it fits each facet (0 to 1, by the facet's place; absent: not at all). */
export type Passage = Omit<ResearchPage, 'markdown' | 'found' | 'textLanguage'> & {
  headingPath: string[];
  /** Markdown of the page from `start` to `end`; a cut table gets its header row, cut code its fences. */
  quote: string;
  start: number;
  end: number;
  /** Opens the page at the passage. */
  link: string;
  fits: Record<number, number>;
};

/** A chosen passage; `id` is `e1`, `e2`, … in order, `facets` are indexes of facets, the best fit first. */
export type Evidence = Omit<Passage, 'fits' | 'language'> & {
  id: string;
  language: string | null;
  facets: number[];
  score: number;
};

/** The same value in evidence from at least two sites. */
export type Agreement = { what: string; value: string; sources: string[] };

/** Different values for the same thing, each with the evidence that states it. */
export type Disagreement = { what: string; values: { value: string; sources: string[] }[] };
