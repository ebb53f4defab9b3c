import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { readJsonLines } from '../search/read-json-lines.ts';
import { createTextPage } from '../search/text-page.ts';
import type { Query } from './queries.ts';

const textUrl = (name: string, id: string): string => `https://${name}.example/${id}`;

/** A collection in the BEIR layout. */
export function readCollection(data: string, name: string): { pages: IndexedPage[]; queries: Query[] } {
  const folder = join(data, name);
  const corpus = readJsonLines<Record<string, string>>(join(folder, 'corpus.jsonl.gz'));
  const judged = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').trim().split('\n').slice(1)) {
    const [query = '', text = '', grade = '0'] = line.split('\t');
    if (Number(grade) <= 0) continue;
    const relevant = judged.get(query) ?? new Map<string, number>();
    judged.set(query, relevant.set(textUrl(name, text), Number(grade)));
  }
  const queries = readJsonLines<Record<string, string>>(join(folder, 'queries.jsonl')).flatMap(
    ({ _id, text }) => {
      const relevant = judged.get(_id ?? '');
      return relevant === undefined ? [] : [{ text: text ?? '', relevant }];
    },
  );
  const pages = corpus.map(({ _id = '', title = '', text = '' }) =>
    createTextPage({ url: textUrl(name, _id), title, markdown: text }),
  );
  return { pages, queries };
}
