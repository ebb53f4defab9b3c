import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { createRandom } from '../search/random.ts';
import type { SourcePage } from './sources.ts';

const HOSTS = 5_000;
const DAYS = 4_000;
const CHARS_MAX = 12_000;
/** Of ten sections so many are of another page. */
const FOREIGN_SECTIONS = 5;
/** Of a hundred pages so many say what an earlier one says, at another address. */
const COPIES = 4;
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2014, 0, 1);

/** Host number n; few hosts have many pages. */
export const hostName = (number: number): string => `h${number % 10}.site${Math.floor(number / 10)}.example`;

/**
 * Pages made of real ones: the title and the number of sections of one page, half of the sections from others, some of them copies.
 * Words, lengths and repetitions stay those of the sources. The same numbers give the same pages.
 */
export function* varyPages(sources: SourcePage[], count: number): Generator<IndexedPage> {
  const random = createRandom(11);
  const any = (): SourcePage | undefined => sources[random(sources.length)];
  let last: IndexedPage | null = null;
  for (let number = 0; number < count; number += 1) {
    const isCopy: boolean = last !== null && random(100) < COPIES;
    const base: IndexedPage = isCopy && last !== null ? last : varied(any(), any, random);
    // The square prefers low numbers.
    const host = Math.floor((random(HOSTS) * random(HOSTS)) / HOSTS);
    last = {
      ...base,
      url: `https://${hostName(host)}/${['docs', 'blog', 'news'][random(3)]}/${wordsOfTitle(base.title)}-${number}`,
      publishedDay: random(10) === 0 ? null : dayAt(random(DAYS)),
      fetchedAt: FIRST_DAY + number,
    };
    yield last;
  }
}

function varied(
  page: SourcePage | undefined,
  any: () => SourcePage | undefined,
  random: (below: number) => number,
): IndexedPage {
  const { title = '', language = null, sections = [] } = page ?? {};
  const chosen: SourcePage['sections'] = [];
  let chars = 0;
  for (const own of sections) {
    const other = any()?.sections ?? [];
    const section = random(10) < FOREIGN_SECTIONS ? (other[random(other.length)] ?? own) : own;
    if (chosen.length > 0 && chars + section.text.length > CHARS_MAX) continue;
    chosen.push(section);
    chars += section.text.length;
  }
  const markdown = chosen
    .map(({ text }) => text)
    .join('')
    .slice(0, CHARS_MAX);
  return {
    url: '',
    title,
    markdown,
    language,
    publishedDay: null,
    site: null,
    author: null,
    headings: chosen.map(({ heading }) => heading).filter((heading) => heading !== null),
    rawChars: markdown.length * 3,
    fetchedAt: 0,
  };
}

const wordsOfTitle = (title: string): string =>
  (title.toLowerCase().match(/[a-z0-9]+/g) ?? []).slice(0, 5).join('-');

const dayAt = (day: number): string => new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
