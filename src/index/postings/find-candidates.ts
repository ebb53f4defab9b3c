/**
 * Finds the pages that a query ranks, by reading whole posting lists of immutable segments. Segments are written by the index's writer and
 * merged when enough of a size have gathered. Postings choose candidates only: the order of results is that of `text/scoring`.
 */
import { hashTerm } from '../../text/words/hashed/hash-terms.ts';
import type { OpenSegment, OpenSegments } from './open-segments.ts';
import { createPostings, LEVEL_MAX } from './posting-format.ts';

/** A term of the query that the index holds. */
export type CandidateTerm = { forms: string[]; weight: number; frequency: number };

/** A mask of the admitted pages over the places of a segment. */
type AdmittedPlaces = (segment: OpenSegment) => Uint8Array;

/** Maximum number of admitted pages that every engine ranks without choosing candidates. */
export const ADMITTED_FEW = 200;
/** Minimum candidates; more did not find a page more often on the sets that weights are tuned with. */
const CANDIDATES_MIN = 40;
/** Candidates per result: some are copies of others, or contain too little of the query. */
const CANDIDATES_PER_RESULT = 2;
/** Beyond the number of results, only pages with at least this share of the best sum are candidates. */
const SHARE_OF_BEST = 0.5;
/** Maximum postings that one query reads; beyond it the most common words are skipped, which tell least. */
const POSTINGS_MAX = 4_000_000;
/** Candidates are cut to the best when there are this many times as many as wanted. */
const GATHERED_PER_WANTED = 8;

/**
 * Finds the pages that are worth scoring for `limit` results, the most promising first: of all admitted pages those with the greatest
 * sum over the terms of weight times level; more than `limit` only while their sums are near the best. Every list is read to its
 * end: a posting costs some nanoseconds, so no page has to be skipped unseen.
 */
export function findCandidates(
  terms: readonly CandidateTerm[],
  { segments, read }: { segments: readonly OpenSegment[]; read: OpenSegments['read'] },
  { admitted, limit }: { admitted: AdmittedPlaces | null; limit: number },
): number[] {
  const asked = selectAffordable(terms);
  const best = createBest(countCandidates(limit));
  const postings = createPostings();
  const most = segments.reduce((count, segment) => Math.max(count, segment.count), 0);
  const sums = new Float32Array(most);
  for (const segment of segments) {
    const { count } = segment;
    let isFound = false;
    for (const { hashes, weight } of asked) {
      for (const hash of hashes) {
        if (!read(segment, hash, postings)) continue;
        isFound = true;
        addUp(sums, postings, weight / LEVEL_MAX);
      }
    }
    if (!isFound) continue;
    best.add(segment, sums, admitted === null ? null : admitted(segment));
    sums.fill(0, 0, count);
  }
  return best.ids(limit);
}

function selectAffordable(terms: readonly CandidateTerm[]): { hashes: number[]; weight: number }[] {
  const rarest = [...terms].sort((left, right) => left.frequency - right.frequency);
  let sum = 0;
  return rarest
    .filter(({ frequency }, at) => {
      sum += frequency;
      return at === 0 || sum <= POSTINGS_MAX;
    })
    .map(({ forms, weight }) => ({ hashes: forms.map(hashTerm), weight }));
}

function addUp(
  sums: Float32Array,
  { count, places, levels }: { count: number; places: Uint32Array; levels: Uint8Array },
  weight: number,
): void {
  for (let at = 0; at < count; at += 1) {
    const place = places[at] as number;
    sums[place] = (sums[place] as number) + weight * (levels[at] as number);
  }
}

/** Computes the number of candidates that every engine looks for. */
export const countCandidates = (results: number): number =>
  Math.max(CANDIDATES_MIN, CANDIDATES_PER_RESULT * results);

/** Selects the candidates that every engine ranks; `candidates` is ordered best first. */
export function selectPromising<Candidate extends { sum: number }>(
  candidates: readonly Candidate[],
  results: number,
): Candidate[] {
  const enough = SHARE_OF_BEST * (candidates[0]?.sum ?? 0);
  return candidates.filter(({ sum }, at) => at < results || sum >= enough);
}

/** Keeps the best of all segments. */
function createBest(wanted: number) {
  let gathered: { id: number; sum: number }[] = [];
  let least = 0;
  const cut = (): void => {
    gathered.sort((left, right) => right.sum - left.sum || left.id - right.id);
    gathered = gathered.slice(0, wanted);
    if (gathered.length === wanted) least = gathered.at(-1)?.sum ?? 0;
  };
  return {
    add(
      { count, offsets, firstId, alive }: OpenSegment,
      sums: Float32Array,
      admitted: Uint8Array | null,
    ): void {
      for (let place = 0; place < count; place += 1) {
        const sum = sums[place] as number;
        if (sum <= least || alive[place] === 0 || (admitted !== null && admitted[place] === 0)) continue;
        gathered.push({ id: firstId + (offsets[place] as number), sum });
        if (gathered.length >= wanted * GATHERED_PER_WANTED) cut();
      }
    },
    ids(least: number): number[] {
      cut();
      return selectPromising(gathered, least).map(({ id }) => id);
    },
  };
}
