import { Failure } from '../../contract/errors.ts';
import type { RecallAll, RecallQuery, RecallResult } from '../../recall/recall.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { canonicalUrl } from '../../text/urls/url-spelling.ts';
import type { Lateness } from '../late-parts.ts';
import type { SearchRequest } from '../search-types.ts';
import { type Choice, type Chosen, chooseResults, joinChoices } from './choose-results.ts';

type Widened = { chosen: Chosen; mayBeKept: boolean };

/**
 * Adds what the sources find for the additional queries of a request, each ranked for its own query. A query that no source answers
 * adds nothing, and one that not all sources answer in time less; the results are then incomplete.
 */
export async function withAdditionalQueries(
  recall: RecallAll,
  request: SearchRequest,
  {
    found,
    today,
    recallQuery,
    lateness,
  }: { found: Widened; today: string; recallQuery: RecallQuery; lateness: Lateness },
): Promise<Widened> {
  const queries = request.additionalQueries ?? [];
  if (queries.length === 0) return found;
  const recalled = await Promise.all(
    queries.map((text) => recallOrNull(recall, { ...recallQuery, query: readQuery(text) })),
  );
  if (recalled.some((result) => result === null || result.isIndexLate)) lateness.parts.add('results');
  const more = recalled.flatMap((result, place) => {
    const query = readQuery(queries[place] ?? '');
    return result === null ? [] : chooseResults(result.lists, request, { query, today }).passing;
  });
  return {
    chosen: { ...found.chosen, passing: joinChoices(distinct([...found.chosen.passing, ...more]), []) },
    mayBeKept: found.mayBeKept && recalled.every((result) => result?.mayBeKept === true && isWhole(result)),
  };
}

/** Whether every source answered. */
export const isWhole = ({ reports }: RecallResult): boolean => Object.values(reports).every(({ ok }) => ok);

async function recallOrNull(recall: RecallAll, query: RecallQuery): Promise<RecallResult | null> {
  try {
    return await recall(query);
  } catch (error) {
    if (error instanceof Failure && !query.signal.aborted) return null;
    throw error;
  }
}

/** Each page once, with its best score. */
function distinct(choices: readonly Choice[]): Choice[] {
  const best = new Map<string, Choice>();
  for (const choice of choices) {
    const page = canonicalUrl(choice.url);
    if (choice.score > (best.get(page)?.score ?? -1)) best.set(page, choice);
  }
  return [...best.values()];
}
