import type { Filters } from '../../text/query/filters.ts';
import { hashOf } from '../../text/words/hashed/hash-of.ts';
import { type IndexTotals, totalsOf } from '../index-schema.ts';
import type { Admitted } from './admitted-pages.ts';
import type { OpenSegment, OpenSegments } from './open-segments.ts';
import { emptyPostings } from './posting-format.ts';

/** A token of more pages than this is taken to be as common among those that filters let in: to count them would cost more than a tenth of a millisecond. */
const COUNTED_MAX = 50_000;

/** Some pages, and in how many of them a token stands. */
type Frequencies = { totals: IndexTotals; frequencyOf: (token: string) => number };
/** Beside the frequencies of the whole index. */
type Asked = Frequencies & { query: Filters; admitted: Admitted | null; segments: readonly OpenSegment[] };

/** The frequencies by which a query weighs its words: of the pages that its filters let in where it names domains, else of all. */
export function createAdmittedFrequencies(read: OpenSegments['read']): (asked: Asked) => Frequencies {
  const postings = emptyPostings();
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
      totals: totalsOf(totals, admitted.count),
      frequencyOf(token) {
        const everywhere = frequencyOf(token);
        return everywhere > COUNTED_MAX
          ? Math.round((everywhere * admitted.count) / totals.pages)
          : count(token);
      },
    };
  };
}
