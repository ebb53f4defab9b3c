import { CHARS_PER_TOKEN } from '../../contract/limits.ts';
import { nearDuplicates, sketchOf } from '../../text/near-duplicates/near-duplicates.ts';
import { siteOf } from '../../text/urls/sites.ts';
import { isStopWord } from '../../text/words/stop-words.ts';
import { wordsOf } from '../../text/words/words.ts';
import type { Evidence, Passage } from './research-types.ts';

/** Weight of a passage's fit against its novelty: maximal marginal relevance (Carbonell and Goldstein 1998). */
const FIT_SHARE = 0.7;
/** Penalty for each passage already chosen from the same site, and from the same page. */
const SAME_SITE_COST = 0.04;
const SAME_PAGE_COST = 0.05;
/** A passage is evidence for every facet that it fits at least this well relative to its best one. */
const ALSO_SHARE = 0.6;
/** Passages below this share of a facet's best fit are not worth their tokens. */
const WORTH_SHARE = 0.4;
const EVIDENCE_MAX = 60;

type Candidate = { passage: Passage; terms: Set<string>; sketch: Uint32Array; tokens: number; site: string };
type State = { chosen: Candidate[]; room: number; spent: number[]; open: Set<Candidate> };

/**
 * The passages that say most about the facets within `tokens`, without repetition. Facets take turns, the one with the fewest tokens
 * first; each takes the passage that fits best and is least like those already chosen, preferring other sites.
 */
export function chooseEvidence(
  passages: readonly Passage[],
  { facets, tokens }: { facets: number; tokens: number },
): Evidence[] {
  const state: State = {
    chosen: [],
    room: tokens,
    spent: Array.from({ length: facets }, () => 0),
    open: new Set(passages.map(candidateOf)),
  };
  const best = state.spent.map((_, facet) => Math.max(0, ...passages.map(({ fits }) => fits[facet] ?? 0)));
  const waiting = new Set(best.flatMap((fit, facet) => (fit > 0 ? [facet] : [])));
  while (waiting.size > 0 && state.chosen.length < EVIDENCE_MAX) {
    const facet = poorest(waiting, state.spent);
    const next = nextFor(facet, (best[facet] ?? 0) * WORTH_SHARE, state);
    if (next === null) waiting.delete(facet);
    else take(next, state);
  }
  return state.chosen.map(evidenceOf);
}

/** The words of a passage and its cost in tokens. */
function candidateOf(passage: Passage): Candidate {
  const words = wordsOf(passage.quote, passage.language);
  return {
    passage,
    terms: new Set(words.filter((word) => !isStopWord(word))),
    sketch: sketchOf(words),
    tokens: Math.ceil(passage.quote.length / CHARS_PER_TOKEN),
    site: siteOf(passage.url),
  };
}

function poorest(waiting: ReadonlySet<number>, spent: readonly number[]): number {
  let chosen = -1;
  for (const facet of waiting)
    if (chosen === -1 || (spent[facet] ?? 0) < (spent[chosen] ?? 0)) chosen = facet;
  return chosen;
}

/** A candidate that repeats a chosen passage or exceeds the remaining tokens always will: it is dropped for good. */
function nextFor(facet: number, fitMin: number, state: State): Candidate | null {
  let best: { candidate: Candidate; value: number } | null = null;
  for (const candidate of state.open) {
    const fit = candidate.passage.fits[facet] ?? 0;
    if (fit === 0 || fit < fitMin) continue;
    if (candidate.tokens > state.room || repeats(candidate, state.chosen)) {
      state.open.delete(candidate);
      continue;
    }
    const value =
      FIT_SHARE * fit - (1 - FIT_SHARE) * likeness(candidate, state.chosen) - crowding(candidate, state);
    if (best === null || value > best.value) best = { candidate, value };
  }
  return best?.candidate ?? null;
}

const repeats = (candidate: Candidate, chosen: readonly Candidate[]): boolean =>
  chosen.some((other) => nearDuplicates(other.sketch, candidate.sketch));

/** The largest share of words that the candidate has in common with a chosen passage. */
function likeness(candidate: Candidate, chosen: readonly Candidate[]): number {
  let most = 0;
  for (const { terms } of chosen) {
    let shared = 0;
    for (const term of candidate.terms) if (terms.has(term)) shared += 1;
    most = Math.max(most, shared / Math.max(1, Math.min(terms.size, candidate.terms.size)));
  }
  return most;
}

function crowding({ passage, site }: Candidate, { chosen }: State): number {
  let cost = 0;
  for (const other of chosen) {
    if (other.site === site) cost += SAME_SITE_COST;
    if (other.passage.url === passage.url) cost += SAME_PAGE_COST;
  }
  return cost;
}

/** The candidate's tokens count for every facet that it is evidence for. */
function take(candidate: Candidate, state: State): void {
  state.open.delete(candidate);
  state.chosen.push(candidate);
  state.room -= candidate.tokens;
  for (const facet of facetsOf(candidate.passage))
    state.spent[facet] = (state.spent[facet] ?? 0) + candidate.tokens;
}

/** The facets that a passage is evidence for, best first. */
function facetsOf({ fits }: Passage): number[] {
  const ordered = Object.entries(fits).sort(
    (one, other) => other[1] - one[1] || Number(one[0]) - Number(other[0]),
  );
  const most = ordered[0]?.[1] ?? 0;
  return ordered.filter(([, fit]) => fit >= most * ALSO_SHARE).map(([facet]) => Number(facet));
}

function evidenceOf({ passage }: Candidate, place: number): Evidence {
  const { fits, ...rest } = passage;
  return { id: `e${place + 1}`, ...rest, facets: facetsOf(passage), score: Math.max(...Object.values(fits)) };
}
