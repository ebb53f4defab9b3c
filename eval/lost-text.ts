/**
 * Text that a page loses without a reason: over some 340 pages of documentation of Debian packages, the words that stand in the HTML
 * and not in the Markdown that is served. Menus, headers, footers and links explain the short texts and lists of links that were left
 * out for them (`sanderling read --why`). Nothing explains the loss of running text, and nothing the loss of "comments", which these
 * pages do not have. Fails if a page loses more than 15 % of its words without a reason, or if fewer than 300 pages were read.
 *
 *   npm run eval:lost-text [-- --docs <folder>] [--pages 6] [--worst 20]
 *
 * `--docs` keeps the unpacked packages for the next run. Packages are downloaded with apt-get; those that cannot be had are skipped and named.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { decodeHTML } from 'entities/decode';
import { type BlockReport, explainChoice } from '../src/pages/extract/explain/explain-choice.ts';
import { extractHtml } from '../src/pages/extract/extract-html.ts';
import { decode } from '../src/pages/formats/decode.ts';
import { drawPages, PACKAGES, unpackPackage } from './lost-text/packages.ts';

const LOST_SHARE_MAX = 0.15;
const PAGES_MIN = 300;
/** Unlinked words from which a block is running text; a notice in a footer may be as long as it likes. */
const RUNNING_WORDS_MIN = 30;
const LONG_REASONS = new Set(['footer']);
/** Elements whose text no browser shows. */
const UNSHOWN = /<(script|style|template|head|noscript|svg|math)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi;
const WORD = /[\p{L}\p{N}]+/gu;

const { values } = parseArgs({
  options: {
    docs: { type: 'string' },
    pages: { type: 'string', default: '6' },
    worst: { type: 'string', default: '20' },
  },
});

/** `reasons`: the words that were left out for each; `lost`: the words that are missing without one. */
type PageLoss = { name: string; words: number; lost: number; reasons: Map<string, number> };

const folder = values.docs ?? mkdtempSync(join(tmpdir(), 'sanderling-lost-text-'));
try {
  report(readPackages());
} finally {
  if (values.docs === undefined) rmSync(folder, { recursive: true, force: true });
}

function readPackages(): PageLoss[] {
  const missing: string[] = [];
  const pages: PageLoss[] = [];
  for (const name of PACKAGES) {
    const unpacked = unpackPackage(name, folder);
    if (unpacked === null) missing.push(name);
    else
      for (const file of drawPages(unpacked, Number(values.pages)))
        pages.push(lossOf(file, file.slice(folder.length + 1)));
  }
  if (missing.length > 0)
    console.log(`skipped ${missing.length} packages that cannot be had here: ${missing.join(' ')}`);
  return pages;
}

function lossOf(file: string, name: string): PageLoss {
  const { text } = decode(readFileSync(file), null);
  const url = `https://debian.example/${name}`;
  const reasons = new Map<string, number>();
  let explained = 0;
  for (const block of explainChoice(text, url).blocks) {
    if (block.leftOut === null) continue;
    reasons.set(block.leftOut, (reasons.get(block.leftOut) ?? 0) + block.words);
    if (isExplained(block)) explained += Math.max(block.words, block.text.match(WORD)?.length ?? 0);
  }
  const { words, missing } = countMissing(text, extractHtml(text, url));
  return { name, words, lost: Math.max(0, missing - explained), reasons };
}

function isExplained({ leftOut, words, linkWords }: BlockReport): boolean {
  if (leftOut === null || leftOut === 'score' || leftOut === 'comments') return false;
  return words - linkWords < RUNNING_WORDS_MIN || LONG_REASONS.has(leftOut);
}

/** Counts the words of the HTML, and those that the article holds less often. It reads the HTML by a rule of its own. */
function countMissing(
  html: string,
  { title, markdown }: { title: string | null; markdown: string },
): { words: number; missing: number } {
  const given = new Map<string, number>();
  for (const [word] of `${title ?? ''} ${markdown}`.matchAll(WORD))
    given.set(word, (given.get(word) ?? 0) + 1);
  const shown = decodeHTML(html.replace(UNSHOWN, ' ').replace(/<[^<>]*>/g, ' '));
  let [words, missing] = [0, 0];
  for (const [word] of shown.matchAll(WORD)) {
    const left = given.get(word) ?? 0;
    words += 1;
    if (left === 0) missing += 1;
    else given.set(word, left - 1);
  }
  return { words, missing };
}

function report(pages: PageLoss[]): void {
  if (pages.length === 0) {
    console.log('skipped: no package could be had, so that nothing was measured');
    return;
  }
  const sums = new Map<string, number>();
  let words = 0;
  for (const page of pages) {
    words += page.words;
    for (const [reason, count] of page.reasons) sums.set(reason, (sums.get(reason) ?? 0) + count);
  }
  const packages = new Set(pages.map(({ name }) => name.split('/')[0]));
  console.log(`${pages.length} pages of ${packages.size} packages, ${words} words; left out:`);
  for (const [reason, count] of [...sums].sort(([, one], [, other]) => other - one))
    console.log(`  ${reason.padEnd(11)} ${((100 * count) / words).toFixed(2).padStart(6)} %`);
  const shareOf = ({ words: all, lost }: PageLoss): number => lost / Math.max(1, all);
  const worst = pages.toSorted((one, other) => shareOf(other) - shareOf(one));
  console.log('most lost without a reason:');
  for (const page of worst.slice(0, Number(values.worst)))
    console.log(
      `  ${(100 * shareOf(page)).toFixed(1).padStart(5)} % of ${String(page.words).padStart(6)}  ${page.name}`,
    );
  const beyond = worst.filter((page) => shareOf(page) > LOST_SHARE_MAX);
  console.log(
    `${beyond.length} pages lose more than ${100 * LOST_SHARE_MAX} % of their words without a reason`,
  );
  if (pages.length < PAGES_MIN) console.log(`only ${pages.length} pages, of ${PAGES_MIN}`);
  if (beyond.length > 0 || pages.length < PAGES_MIN) process.exitCode = 1;
}
