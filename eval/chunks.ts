/**
 * Checks the properties of chunks and pruned text on every available page: npm run eval:chunks. Web pages through our own extraction,
 * the Markdown of converter test cases, encyclopedia pages; prints the share of chunks of 400 to 700 characters.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldPages } from '../bench/extract/pages.ts';
import { extractHtml } from '../src/pages/extract/extract-html.ts';
import { chunkMarkdown } from '../src/text/chunk/chunk-markdown.ts';
import { pruneMarkdown } from '../src/text/prune/prune-markdown.ts';
import { chunkViolations, prunedViolations } from '../test/properties/chunk-properties.ts';
import { readPassageSets } from './passages/passage-sets.ts';

const SHORT_CHARS = 400;
const SHOWN_MAX = 3;
/** Replaces a scorer: the properties must hold whatever is kept. */
const SCORES = [0.9, 0, 0.2, 0, 0.8, 0, 0, 0.7, 0, 0, 0];
const data = process.env.EVAL_DATA ?? '../shared/data';
const showAll = process.argv.includes('--all');

type Tally = { pages: number; chunks: number; good: number; longPages: number; broken: string[] };
const tallies = new Map<string, Tally>();

for await (const { html, url, id } of goldPages('wcxb_dev', process.argv.includes('--small')))
  judge('wcxb_dev, extracted', extractHtml(html, url).markdown, id);
for (const file of [
  'commonmark_spec',
  'gfm_spec',
  'cmark_gfm_extensions',
  'turndown_cases',
  'html_to_markdown_go_golden',
])
  for (const line of readFileSync(join(data, 'html_to_markdown', `${file}.jsonl`), 'utf8')
    .trim()
    .split('\n')) {
    const { id, markdown } = JSON.parse(line);
    judge('html_to_markdown', markdown, id);
  }
for (const { name, pages } of readPassageSets(data))
  for (const [place, { markdown }] of pages.entries())
    judge(name.replace(/ .*/, ''), markdown, String(place));
print();

function judge(name: string, markdown: string, id: string): void {
  const tally = tallies.get(name) ?? { pages: 0, chunks: 0, good: 0, longPages: 0, broken: [] };
  tallies.set(name, tally);
  const chunks = chunkMarkdown(markdown);
  const scored = chunks.map((chunk, place) => ({ ...chunk, score: SCORES[place % SCORES.length] ?? 0 }));
  const broken = [
    ...chunkViolations(markdown, chunks),
    ...prunedViolations(markdown, pruneMarkdown(markdown, scored).markdown),
  ];
  tally.pages += 1;
  tally.broken.push(...broken.map((how) => `${id}: ${how}`));
  if (markdown.trim().length < SHORT_CHARS) return;
  tally.longPages += 1;
  tally.chunks += chunks.length;
  tally.good += chunks.filter(({ markdown: text }) => text.length >= SHORT_CHARS).length;
}

function print(): void {
  console.log(`${'pages'.padEnd(24)}   pages   of 400 up   chunks   400 to 700   laws broken`);
  for (const [name, { pages, longPages, chunks, good, broken }] of tallies) {
    const share = `${((100 * good) / Math.max(1, chunks)).toFixed(1)} %`;
    console.log(
      `${name.padEnd(24)}${[String(pages).padStart(8), String(longPages).padStart(12), String(chunks).padStart(9), share.padStart(13), String(broken.length).padStart(14)].join('')}`,
    );
    for (const how of broken.slice(0, showAll ? broken.length : SHOWN_MAX))
      console.log(`  ${how.slice(0, 600)}`);
  }
}
