import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import type { Query } from './queries.ts';

/** Collections of short texts with graded judgements, so that weights are not fitted to manuals alone. */
export const TEXT_COLLECTIONS = ['cranfield', 'cisi', 'med'];

const textUrl = (name: string, id: string): string => `https://${name}.example/${id}`;

/** A collection in the BEIR layout. */
export function readCollection(data: string, name: string): { pages: IndexedPage[]; queries: Query[] } {
  const folder = join(data, name);
  const corpus = jsonLines(gunzipSync(readFileSync(join(folder, 'corpus.jsonl.gz'))).toString('utf8'));
  const judged = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').trim().split('\n').slice(1)) {
    const [query = '', text = '', grade = '0'] = line.split('\t');
    if (Number(grade) <= 0) continue;
    const relevant = judged.get(query) ?? new Map<string, number>();
    judged.set(query, relevant.set(textUrl(name, text), Number(grade)));
  }
  const queries = jsonLines(readFileSync(join(folder, 'queries.jsonl'), 'utf8')).flatMap(({ _id, text }) => {
    const relevant = judged.get(_id ?? '');
    return relevant === undefined ? [] : [{ text: text ?? '', relevant }];
  });
  return { pages: corpus.map((line) => toPage(name, line)), queries };
}

function toPage(name: string, { _id, title, text }: Record<string, string>): IndexedPage {
  return {
    url: textUrl(name, _id ?? ''),
    title: title ?? '',
    headings: [],
    markdown: text ?? '',
    publishedDay: null,
    language: 'en',
    site: null,
    author: null,
    rawChars: text?.length ?? 0,
    fetchedAt: 0,
  };
}

function jsonLines(text: string): Record<string, string>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
