import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { getDomain } from 'tldts';
import type { Article } from '../src/pages/article.ts';
import { extractHtml } from '../src/pages/extract/extract-html.ts';
import { pageFacts } from '../src/pages/extract/metadata/page-facts.ts';
import { parseTree } from '../src/pages/extract/parse/parse-tree.ts';

/**
 * Measures how often title, author and picture are right. A title or author is right if it is the same but for case, punctuation and
 * white space. Baseline: the title tag, the first `meta` author and `og:image`, unchanged. Sites are split into two halves: rules are
 * written with the mistakes of the seen half in view (`--mistakes title` lists those), never with those of the unseen.
 */
type LabelledPage = { id: string; url: string | null; html: string; meta: Record<string, string | null> };
type Field = 'title' | 'author' | 'image';

const DATA = process.env.EVAL_DATA ?? '../shared/data';
const SETS: [name: string, fields: Partial<Record<Field, string>>][] = [
  ['postlight_fixtures', { title: 'title', author: 'author', image: 'lead_image_url' }],
  ['wcxb_dev', { title: 'title', author: 'author' }],
];
const [, shown] = process.argv.slice(process.argv.indexOf('--mistakes')).slice(0, 2);
const mistakesOf = process.argv.includes('--mistakes') ? shown : undefined;

console.log('set                   half    field   pages  right  wrong  none  baseline');
for (const [name, fields] of SETS) {
  const path = join(DATA, name, 'pages.jsonl.gz');
  if (!existsSync(path)) {
    console.log(`${name}: not found at ${path}; set EVAL_DATA`);
    continue;
  }
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n');
  const pages: LabelledPage[] = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  const read = pages.map((page) => ({
    page,
    article: extractHtml(page.html, page.url ?? 'https://example.org/'),
  }));
  for (const half of ['seen', 'unseen'] as const) {
    const some = read.filter(({ page }) => isSeen(page.url) === (half === 'seen'));
    for (const [field, gold] of Object.entries(fields))
      measure(name, { half, some, field: field as Field, gold });
  }
}

/** Half of the sites, by a hash of the domain. */
function isSeen(url: string | null): boolean {
  const site = getDomain(url ?? '') ?? url ?? '';
  return createHash('sha256').update(site).digest().readUInt8() % 2 === 0;
}

type Half = {
  half: 'seen' | 'unseen';
  some: { page: LabelledPage; article: Article }[];
  field: Field;
  gold: string;
};

function measure(set: string, { half, some, field, gold }: Half): void {
  const count = { right: 0, wrong: 0, none: 0, baseline: 0 };
  const labelled = some.filter(({ page }) => (page.meta[gold] ?? '').trim() !== '');
  for (const { page, article } of labelled) {
    const wanted = keyOf(field, page.meta[gold] ?? '');
    const found = article[field] ?? '';
    const verdict = found === '' ? 'none' : keyOf(field, found) === wanted ? 'right' : 'wrong';
    count[verdict] += 1;
    if (keyOf(field, plainly(field, page.html)) === wanted) count.baseline += 1;
    if (mistakesOf === field && half === 'seen' && verdict !== 'right')
      console.log(`  ${verdict} ${page.id} ${page.url}\n    wanted ${page.meta[gold]}\n    found  ${found}`);
  }
  const figures = [labelled.length, count.right, count.wrong, count.none, count.baseline];
  console.log(
    `${set.padEnd(21)} ${half.padEnd(7)} ${field.padEnd(6)}`,
    figures.map((figure) => String(figure).padStart(6)).join(' '),
  );
}

/** What a name or title says; of an address what tells it from others. */
function keyOf(field: Field, text: string): string {
  if (field === 'image') return URL.parse(text)?.pathname.toLowerCase() ?? text;
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** What the page declares, without any judgement. */
function plainly(field: Field, html: string): string {
  const { titleTag, meta } = pageFacts(parseTree(html));
  if (field === 'title') return titleTag?.trim() ?? '';
  return meta.get(field === 'author' ? 'author' : 'og:image')?.[0] ?? '';
}
