import { readQuery } from '../../../text/query/read-query.ts';
import type { Cluster } from '../connect/cluster.ts';
import type { IndexNames } from '../layout/layout.ts';
import { toTermToken } from '../layout/term-token.ts';
import { buildPageId } from '../write/page-document.ts';

/** A cached answer: its query texts, the pages that it shows, and the state of the index that it was made from. */
export type AnswerSnapshot = { texts: readonly string[]; urls: readonly string[]; since: string };

/** A state of the index: the counters of the cluster, and when they were read. */
type IndexState = { changes: number; removals: number; at: number };

/**
 * Pages are dated by the process that writes them, before searches find them, so an answer may have missed pages that are dated up
 * to this much earlier. Covers the longest request and differences between clocks.
 */
const UNSEEN_MS = 45_000;

/** Formats a state of the index, equally in every process; the part before the slash stays the same while nothing changes. */
export const formatState = ({ changes, removals, at }: IndexState): string => `${changes}.${removals}/${at}`;

export const isSameState = (one: string, other: string): boolean =>
  one.split('/', 1)[0] === other.split('/', 1)[0];

/** Parses a text that `formatState` has made; null for any other. */
export function parseState(name: string): IndexState | null {
  const [, changes, removals, at] = /^(\d+)\.(\d+)\/(\d+)$/.exec(name) ?? [];
  return at === undefined ? null : { changes: Number(changes), removals: Number(removals), at: Number(at) };
}

/** Returns whether a page written since an answer has one of the words of its query, or is one of its pages. */
export async function hasAffectingPage(
  cluster: Cluster,
  { pages }: IndexNames,
  { texts, urls, since, languages }: Omit<AnswerSnapshot, 'since'> & { since: number; languages: string[] },
): Promise<boolean> {
  const words = texts.flatMap((text) => {
    const terms = readQuery(text).forIndex(languages);
    const telling = terms.filter(({ stop }) => !stop);
    return (telling.length === 0 ? terms : telling).flatMap(({ forms }) => forms);
  });
  const should = [
    { terms: { words: [...new Set(words.map(toTermToken))] } },
    { ids: { values: urls.map(buildPageId) } },
  ];
  const { hits } = await cluster.request<{ hits: { total: { value: number } } }>({
    method: 'POST',
    path: `/${pages}/_search`,
    query: { allow_partial_search_results: false },
    body: {
      size: 0,
      track_total_hits: 1,
      terminate_after: 1,
      query: {
        bool: {
          filter: [
            { range: { writtenAt: { gte: since - UNSEEN_MS } } },
            { bool: { should, minimum_should_match: 1 } },
          ],
        },
      },
    },
  });
  return hits.total.value > 0;
}
