import { Failure } from '../contract/errors.ts';
import type { Opening } from '../pages/open-page-types.ts';
import { needsScores } from '../text/prune/page-parts.ts';
import type { Contents, ContentsAnswer, ContentsRequest } from './contents.ts';
import type { Read, ReadAnswer, ReadRequest } from './read.ts';
import type { SearchCache } from './search-cache.ts';
import type { SearchAnswer, SearchRequest } from './search-types.ts';
import { startStopwatch } from './stopwatch.ts';

/** Answers that need no work, because everything in them is kept; null: there is work to do, and whether it fails is left to that. */
export type AtHand = {
  search(request: Omit<SearchRequest, 'signal'>): SearchAnswer | null | Promise<SearchAnswer | null>;
  /** A page of which a fresh copy is kept, whole. */
  read(request: Omit<ReadRequest, 'signal'>): Promise<ReadAnswer | null>;
  /** The texts of pages of all of which fresh copies are kept. */
  contents(request: Omit<ContentsRequest, 'signal'>): Promise<ContentsAnswer | null>;
};

/** Nothing that is at hand takes long enough to be given up. */
const signal = new AbortController().signal;

export function createAtHand(deps: { cache: SearchCache; read: Read; contents: Contents }): AtHand {
  return {
    search(request) {
      const watch = startStopwatch();
      const hit = (answer: SearchAnswer): SearchAnswer => ({
        ...answer,
        cache: 'hit',
        timingsMs: watch.stop(),
      });
      const kept = deps.cache.kept(request);
      if (kept !== null) return hit(kept);
      return deps.cache.look(request).then(({ answer }) => (answer === null ? null : hit(answer)));
    },
    async read(request) {
      const { question, given, plain, parts, opening = {} } = request;
      const isWhole = question === null && given === undefined && !plain && parts === undefined;
      if (!isWhole || !mayBeCopy(opening)) return null;
      return orNull(deps.read({ ...request, opening: { ...opening, copies: 'at hand' }, signal }));
    },
    async contents(request) {
      const { wanted, subpages, opening = {} } = request;
      if (needsScores(wanted) || wanted.plain || subpages !== undefined || !mayBeCopy(opening)) return null;
      const answer = await orNull(
        deps.contents({ ...request, opening: { ...opening, copies: 'at hand' }, signal }),
      );
      return answer?.statuses.every(({ ok }) => ok) ? answer : null;
    },
  };
}

/** Extras are never kept, and what headers of the caller give neither. A copy of any age is the work of the index. */
function mayBeCopy({ extras, headers, copies }: Opening): boolean {
  return extras === undefined && headers === undefined && copies !== 'only';
}

async function orNull<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
