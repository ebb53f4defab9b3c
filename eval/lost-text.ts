/**
 * Text that extraction loses without a reason: over some 340 pages of documentation of Debian packages, the words of each page that are
 * left out for the model's score alone. What is left out as navigation, comments, a footer and so on has its reason
 * (`sanderling read --why`). Fails if a page loses more than 15 % of its words without one.
 *
 *   npm run eval:lost-text [-- --docs <folder>] [--pages 6] [--worst 20]
 *
 * `--docs` keeps the unpacked packages for the next run. Packages are downloaded with apt-get; those that cannot be had are skipped and named.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { explainChoice } from '../src/pages/extract/explain/explain-choice.ts';
import { decode } from '../src/pages/formats/decode.ts';
import { drawPages, PACKAGES, unpackPackage } from './lost-text/packages.ts';

const LOST_SHARE_MAX = 0.15;

const { values } = parseArgs({
  options: {
    docs: { type: 'string' },
    pages: { type: 'string', default: '6' },
    worst: { type: 'string', default: '20' },
  },
});

type PageLoss = { name: string; words: number; reasons: Map<string, number> };

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
  const { blocks } = explainChoice(text, `https://debian.example/${name}`);
  const reasons = new Map<string, number>();
  let words = 0;
  for (const block of blocks) {
    words += block.words;
    if (block.leftOut !== null) reasons.set(block.leftOut, (reasons.get(block.leftOut) ?? 0) + block.words);
  }
  return { name, words, reasons };
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
  console.log(`${pages.length} pages, ${words} words; left out:`);
  for (const [reason, count] of [...sums].sort(([, one], [, other]) => other - one))
    console.log(`  ${reason.padEnd(11)} ${((100 * count) / words).toFixed(2).padStart(6)} %`);
  const shareOf = ({ words: all, reasons }: PageLoss): number =>
    (reasons.get('score') ?? 0) / Math.max(1, all);
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
  if (beyond.length > 0) process.exitCode = 1;
}
