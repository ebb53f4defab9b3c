/**
 * Evidence for research: splits a question into facets, chooses the pages to open, cuts passages and picks those that answer. Everything is
 * quoted verbatim from pages; nothing here fetches or writes text of its own.
 */
import { CHARS_PER_TOKEN } from '../../contract/limits.ts';
import { buildSketch, isNearDuplicate } from '../../text/near-duplicates/near-duplicates.ts';
import { findSite } from '../../text/urls/sites.ts';
import { guessLanguage } from '../../text/words/guess-language.ts';
import { isStopWord } from '../../text/words/stop-words.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import type { Evidence, Facet, Passage } from './relevance.ts';
import { computeRelevanceFloor, scoreRelevances } from './relevance.ts';

/** Value of a further passage on a facet relative to the one before it. */
const FURTHER_SHARE = 0.75;
/** Minimum gain of a passage, as a share of the highest relevance. */
const GAIN_SHARE_MIN = 0.22;
/** Share of the gain lost for words that a chosen passage also has, and for each further passage of one page. */
const LIKENESS_COST = 0.5;
const SAME_PAGE_COST = 0.15;
/** Minimum fit of a passage to a further facet, relative to its best fit, for it to be evidence for that facet too. */
const ALSO_SHARE = 0.6;
/** A passage in another language is left out if one in the question's language fits the facet at least this well, relative to it. */
const OTHER_LANGUAGE_SHARE = 0.6;
const EVIDENCE_MAX = 60;

type Candidate = {
  passage: Passage;
  relevance: number;
  facets: number[];
  terms: Set<string>;
  sketch: Uint32Array;
  tokens: number;
  site: string;
};
type State = { chosen: Candidate[]; room: number; served: Map<number, number>; open: Set<Candidate> };

/**
 * Chooses the passages that are relevant to the question, the best first, within `tokens`. A passage is worth less the more passages on
 * its facet are already chosen, and the more of its words they contain; choosing ends when no passage is worth its tokens.
 */
export function chooseEvidence(
  passages: readonly Passage[],
  { facets, tokens }: { facets: readonly Facet[]; tokens: number },
): Evidence[] {
  const candidates = selectCandidates(passages, facets);
  const best = Math.max(0, ...candidates.map(({ relevance }) => relevance));
  const state: State = { chosen: [], room: tokens, served: new Map(), open: new Set(candidates) };
  while (state.chosen.length < EVIDENCE_MAX) {
    const next = pickNext(state, best * GAIN_SHARE_MIN);
    if (next === null) break;
    take(next, state);
  }
  return dropForeign(state.chosen, facets[0]?.query ?? '')
    .sort((one, other) => other.relevance - one.relevance)
    .map(toEvidence);
}

function selectCandidates(passages: readonly Passage[], facets: readonly Facet[]): Candidate[] {
  const relevances = scoreRelevances(passages, facets, { isFinal: true });
  const floor = computeRelevanceFloor(relevances);
  return passages.flatMap((passage, place) => {
    const relevance = relevances[place] ?? 0;
    if (relevance < floor) return [];
    const words = tokenizeWords(passage.quote, passage.language);
    return {
      passage,
      relevance,
      facets: listFacets(passage),
      terms: new Set(words.filter((word) => !isStopWord(word))),
      sketch: buildSketch(words),
      tokens: Math.ceil(passage.quote.length / CHARS_PER_TOKEN),
      site: findSite(passage.url),
    };
  });
}

/** Picks the candidate that adds most (relative to its tokens if not all fit). Drops repetitions and candidates that no longer fit. */
function pickNext(state: State, gainMin: number): Candidate | null {
  let wanted = 0;
  for (const candidate of state.open) wanted += candidate.tokens;
  const isTight = wanted > state.room;
  let best: { candidate: Candidate; value: number } | null = null;
  for (const candidate of state.open) {
    const gain = computeGain(candidate, state);
    if (candidate.tokens > state.room || gain < gainMin || isRepetition(candidate, state.chosen)) {
      state.open.delete(candidate);
      continue;
    }
    const value = isTight ? gain / Math.sqrt(candidate.tokens) : gain;
    if (best === null || value > best.value) best = { candidate, value };
  }
  return best?.candidate ?? null;
}

function computeGain(candidate: Candidate, { chosen, served }: State): number {
  const { relevance, facets, passage } = candidate;
  const further = Math.min(...facets.map((facet) => served.get(facet) ?? 0));
  const samePage = chosen.filter((other) => other.passage.url === passage.url).length;
  const novelty = 1 - LIKENESS_COST * computeSimilarity(candidate, chosen);
  return relevance * novelty * FURTHER_SHARE ** further * (1 - SAME_PAGE_COST) ** samePage;
}

const isRepetition = (candidate: Candidate, chosen: readonly Candidate[]): boolean =>
  chosen.some((other) => isNearDuplicate(other.sketch, candidate.sketch));

/** Computes the largest share of words that the candidate has in common with a chosen passage of its site. */
function computeSimilarity(candidate: Candidate, chosen: readonly Candidate[]): number {
  let most = 0;
  for (const { terms, site } of chosen) {
    if (site !== candidate.site) continue;
    let shared = 0;
    for (const term of candidate.terms) if (terms.has(term)) shared += 1;
    most = Math.max(most, shared / Math.max(1, Math.min(terms.size, candidate.terms.size)));
  }
  return most;
}

function take(candidate: Candidate, state: State): void {
  state.open.delete(candidate);
  state.chosen.push(candidate);
  state.room -= candidate.tokens;
  for (const facet of candidate.facets) state.served.set(facet, (state.served.get(facet) ?? 0) + 1);
}

/** Drops passages in other languages than the question's that only repeat what passages in its language say. */
function dropForeign(chosen: readonly Candidate[], question: string): Candidate[] {
  const language = pickLanguage(chosen, question);
  const isForeign = ({ passage }: Candidate): boolean => passage.language !== language;
  const own = chosen.filter((one) => !isForeign(one));
  return chosen.filter(
    (one) =>
      !isForeign(one) ||
      !one.facets.some((facet) =>
        own.some((other) => findFit(other, facet) >= OTHER_LANGUAGE_SHARE * findFit(one, facet)),
      ),
  );
}

/** Picks the language of the question if there are passages in it; otherwise that of the most relevant passages. */
function pickLanguage(chosen: readonly Candidate[], question: string): string | null {
  const relevances = new Map<string | null, number>();
  for (const { passage, relevance } of chosen)
    relevances.set(passage.language, (relevances.get(passage.language) ?? 0) + relevance);
  const asked = guessLanguage([{ markdown: question }]);
  if (relevances.has(asked)) return asked;
  return [...relevances].sort((one, other) => other[1] - one[1])[0]?.[0] ?? null;
}

const findFit = ({ passage }: Candidate, facet: number): number => passage.fits[facet] ?? 0;

/** Lists the facets that a passage is evidence for, best first. */
function listFacets({ fits }: Passage): number[] {
  const ordered = Object.entries(fits).sort(
    (one, other) => other[1] - one[1] || Number(one[0]) - Number(other[0]),
  );
  const most = ordered[0]?.[1] ?? 0;
  return ordered.filter(([, fit]) => fit >= most * ALSO_SHARE).map(([facet]) => Number(facet));
}

function toEvidence({ passage, relevance, facets }: Candidate, place: number): Evidence {
  const { fits: _, ...rest } = passage;
  return { id: `e${place + 1}`, ...rest, facets, score: relevance };
}
