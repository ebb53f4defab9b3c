import type { Filters } from '../../text/query/filters.ts';
import { hashOf } from '../../text/words/hashed/hash-of.ts';
import { type IndexTotals, scaleTotals } from '../index-schema.ts';
import type { AdmittedPages } from './admitted-pages.ts';
import type { OpenSegment, OpenSegments } from './open-segments.ts';
import { createPostings } from './posting-format.ts';

/**
 * A token of more pages than this is assumed to be equally common among the admitted pages: counting would take more than a tenth
 * of a millisecond.
 */
const COUNTED_MAX = 50_000;

/** The totals of some pages, and the document frequency of a token among them. */
type Frequencies = { totals: IndexTotals; frequencyOf: (token: string) => number };
/** The frequencies of the whole index, with the query and the pages that it admits. */
type CountingInput = Frequencies & {
  query: Filters;
  admitted: AdmittedPages | null;
  segments: readonly OpenSegment[];
};

/** Returns the frequencies that weigh a query's words: those of the admitted pages if the query names domains, else of all pages. */
export function createAdmittedFrequencies(read: OpenSegments['read']): (asked: CountingInput) => Frequencies {
  const postings = createPostings();
  return ({ query, admitted, segments, totals, frequencyOf }) => {
    if (admitted === null || query.includeDomains.length === 0) return { totals, frequencyOf };
    const count = (token: string): number => {
      const hash = hashOf(token);
      let counted = 0;
      for (const segment of segments) {
        if (!read(segment, hash, postings)) continue;
        const mask = admitted.places(segment);
        for (let at = 0; at < postings.count; at += 1) {
          const place = postings.places[at] as number;
          counted += (mask[place] as number) & (segment.alive[place] as number);
        }
      }
      return counted;
    };
    return {
      totals: scaleTotals(totals, admitted.count),
      frequencyOf(token) {
        const everywhere = frequencyOf(token);
        return everywhere > COUNTED_MAX
          ? Math.round((everywhere * admitted.count) / totals.pages)
          : count(token);
      },
    };
  };
}
