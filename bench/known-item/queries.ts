import { join } from 'node:path';
import { readJsonLines } from '../search/read-json-lines.ts';
import { manualUrl } from './manuals.ts';

/** A query with the pages that answer it, by address, and how well each does. */
export type Query = { text: string; relevant: Map<string, number> };

/** The known-item queries of one manual. */
export function readQueries(data: string, name: string): Query[] {
  const path = join(data, 'localweb_known_item/queries.jsonl');
  return readJsonLines<{ package: string; query: string; pages: string[] }>(path)
    .filter((line) => line.package === name)
    .map(({ query, pages }) => ({
      text: query,
      relevant: new Map(pages.map((page) => [manualUrl(name, page), 1])),
    }));
}
