import type { PassageQuery } from '../query/passage-query.ts';
import type { ChunkTerms } from './chunk-terms.ts';
import type { QueryHits } from './query-hits.ts';

/**
 * How well the names of a chunk fit the query. `named`: the best of its own heading, headings in it and terms it defines, as the share of the
 * query that the name covers times the share of the name that the query has. `opens`: 1 for the beginning of a section. `opensAsked`: of
 * the beginning the square of the share of the query that the headings above it cover: who asks for a section wants its beginning.
 */
export function nameFeatures(
  page: ChunkTerms,
  { rarities }: PassageQuery,
  { chunks, terms, termOf, inHeading }: QueryHits,
): Record<'named' | 'opens' | 'opensAsked', Float64Array> {
  const total = rarities.reduce((sum, rarity) => sum + rarity, 0) || 1;
  const opensAsked = new Float64Array(chunks);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    if (page.opens[chunk] === 0) continue;
    let sum = 0;
    for (let term = 0; term < terms; term += 1)
      sum += (inHeading[chunk * terms + term] ?? 0) * (rarities[term] ?? 0);
    opensAsked[chunk] = (sum / total) ** 2;
  }
  return {
    named: Float64Array.from(page.labels, (names) =>
      names.reduce((best, name) => Math.max(best, fitOf(name, { termOf, rarities }) / total), 0),
    ),
    opens: Float64Array.from(page.opens),
    opensAsked,
  };
}

function fitOf(
  name: readonly number[],
  { termOf, rarities }: Pick<QueryHits, 'termOf'> & Pick<PassageQuery, 'rarities'>,
): number {
  let [sum, shared] = [0, 0];
  for (const id of name) {
    const term = termOf[id] ?? -1;
    if (term === -1) continue;
    sum += rarities[term] ?? 0;
    shared += 1;
  }
  return (sum * shared) / Math.max(1, name.length);
}
