import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { isStopWord } from '../../src/text/words/stop-words.ts';
import { tokenizeWords } from '../../src/text/words/words.ts';
import { readManual } from '../known-item/manuals.ts';
import { createRandom } from './random.ts';

/** A text with its paragraphs. */
type Source = { title: string; paragraphs: string[] };

const COLLECTIONS = ['cranfield', 'cisi', 'med', 'npl'];
const MANUALS = ['python3.11-doc', 'postgresql-doc-15', 'sqlite3-doc', 'python-django-doc'];
const PARAGRAPH_CHARS_MIN = 80;
const PARAGRAPHS_PER_PAGE = 4;
const HOSTS = 2_000;
const DAYS = 4_000;

/**
 * Real paragraphs: of the manuals below `docs` (where they are unpacked) and of the ranking collections, a collection
 * being cut into texts of forty abstracts.
 */
export function readSources(data: string, docs: string | undefined): Source[] {
  const manuals = (docs === undefined ? [] : MANUALS).flatMap((name) => readManual(docs ?? '', name));
  const sources = manuals.map(({ title, markdown }) => ({ title, paragraphs: paragraphsOf(markdown) }));
  for (const name of COLLECTIONS) {
    const file = join(data, name, 'corpus.jsonl.gz');
    if (!existsSync(file)) continue;
    const texts = gunzipSync(readFileSync(file))
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    for (let at = 0; at < texts.length; at += 40) {
      const part = texts.slice(at, at + 40).map((line): { title: string; text: string } => JSON.parse(line));
      sources.push({ title: part[0]?.title ?? name, paragraphs: part.map(({ text }) => text) });
    }
  }
  return sources.filter(({ paragraphs }) => paragraphs.length >= PARAGRAPHS_PER_PAGE * 2);
}

const paragraphsOf = (markdown: string): string[] =>
  markdown.split(/\n\n+/).filter((paragraph) => paragraph.length >= PARAGRAPH_CHARS_MIN);

/**
 * Distinct pages, each of four paragraphs drawn at random from one source, under 2,000 hosts; nine in ten have a date. The
 * same numbers give the same pages.
 */
export function* makePages(sources: Source[], count: number): Generator<IndexedPage> {
  const random = createRandom(1);
  for (let number = 0; number < count; number += 1) {
    const source = sources[random(sources.length)] ?? { title: '', paragraphs: [] };
    const drawn = Array.from(
      { length: PARAGRAPHS_PER_PAGE },
      () => source.paragraphs[random(source.paragraphs.length)],
    );
    const markdown = [...new Set(drawn)].join('\n\n');
    yield {
      url: `https://${hostName(random(HOSTS))}/${['docs', 'blog', 'news'][random(3)]}/${number}`,
      title: `${source.title} ${tokenizeWords(drawn[0] ?? '', 'en')
        .slice(0, 4)
        .join(' ')}`,
      headings: [],
      markdown,
      publishedDay: random(10) === 0 ? null : dayAt(random(DAYS)),
      language: 'en',
      site: null,
      author: null,
      rawChars: markdown.length,
      fetchedAt: 0,
    };
  }
}

/** Host number n; ten share a domain. */
export const hostName = (number: number): string => `h${number % 10}.site${Math.floor(number / 10)}.example`;

const dayAt = (day: number): string => new Date(Date.UTC(2014, 0, 1 + day)).toISOString().slice(0, 10);

/** Queries of `words` distinct meaningful words that are close together in some page, in its spelling. */
export function makeQueries(sources: Source[], { words, count }: { words: number; count: number }): string[] {
  const random = createRandom(100 + words);
  const queries: string[] = [];
  while (queries.length < count) {
    const source = sources[random(sources.length)];
    const paragraph = source?.paragraphs[random(source.paragraphs.length)] ?? '';
    const written = (paragraph.match(/[A-Za-z]{3,}/g) ?? []).filter(
      (word) => !isStopWord(tokenizeWords(word, 'en')[0] ?? ''),
    );
    const distinct = [...new Set(written.map((word) => word.toLowerCase()))];
    if (distinct.length < words * 2) continue;
    const start = random(distinct.length - words * 2 + 1);
    const window = distinct.slice(start, start + words * 2);
    queries.push(Array.from({ length: words }, () => window.splice(random(window.length), 1)[0]).join(' '));
  }
  return queries;
}
