import { toVisibleText } from '../../text/markup/visible-text.ts';
import { buildSketch } from '../../text/near-duplicates/near-duplicates.ts';
import { findSite } from '../../text/urls/sites.ts';
import type { IndexedPage } from '../local-index-types.ts';
import type { PageOutline } from './host-ranker.ts';

/** Characters of a page that are read, enough to identify it. */
const CHARS_READ = 60_000;
const TARGETS_MAX = 200;
/** Minimum sketch length: a shorter text resembles others by chance. */
const RUNS_MIN = 12;
const HIGH_BITS = 0xfffff;
const WORD_VALUES = 2 ** 32;
/** Matches links and images; the text between the brackets is bounded. */
const LINK = /(!?)\[[^[\]\n]{0,300}\]\(<?([^()<>\s]{1,1000})/g;

/** Pure: builds the outline of a page that host ranking uses. */
export function buildOutline({ url, markdown }: Pick<IndexedPage, 'url' | 'markdown'>): PageOutline {
  const own = findSite(url);
  const { host } = new URL(url);
  const read = markdown.slice(0, CHARS_READ);
  const targets = new Map<string, string>();
  let links = 0;
  for (const [, picture, address = ''] of read.matchAll(LINK)) {
    if (picture === '!') continue;
    links += 1;
    const target = /^https?:/.test(address) ? URL.parse(address)?.host : undefined;
    if (target === undefined || target === host || targets.has(target) || targets.size >= TARGETS_MAX)
      continue;
    targets.set(target, findSite(`http://${target}`));
  }
  const words = toVisibleText(read)
    .split(/\s+/)
    .filter((word) => word !== '');
  const sketch = buildSketch(words);
  return {
    host,
    links,
    chars: words.reduce((sum, word) => sum + word.length, 0),
    targets: [...targets]
      .filter(([, site]) => site !== own)
      .map(([target]) => target)
      .sort(),
    print: sketch.length < RUNS_MIN ? null : ((sketch[0] ?? 0) & HIGH_BITS) * WORD_VALUES + (sketch[1] ?? 0),
  };
}
