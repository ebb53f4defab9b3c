import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { tokenizeWords } from '../../src/text/words/words.ts';
import { readManual } from '../known-item/manuals.ts';
import { createRandom } from './random.ts';
import { readJsonLines } from './read-json-lines.ts';
import { createTextPage } from './text-page.ts';

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
    const texts = readJsonLines<{ title: string; text: string }>(file);
    for (let at = 0; at < texts.length; at += 40) {
      const part = texts.slice(at, at + 40);
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
    yield createTextPage({
      url: `https://${hostName(random(HOSTS))}/${['docs', 'blog', 'news'][random(3)]}/${number}`,
      title: `${source.title} ${tokenizeWords(drawn[0] ?? '', 'en')
        .slice(0, 4)
        .join(' ')}`,
      markdown,
      publishedDay: random(10) === 0 ? null : dayAt(random(DAYS)),
    });
  }
}

/** Host number n; ten share a domain. */
export const hostName = (number: number): string => `h${number % 10}.site${Math.floor(number / 10)}.example`;

const dayAt = (day: number): string => new Date(Date.UTC(2014, 0, 1 + day)).toISOString().slice(0, 10);
