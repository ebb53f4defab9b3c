/**
 * Changes of pages, beside a plain difference of the lines of the two texts. Three parts: pairs of versions as they were published, where
 * each line that differs must lie in a change; edits that were written into real pages, each of which must be found; and visits
 * of real pages between which only noise differs, of which nothing must be reported.
 *
 *   npm run eval:changes [-- --worst 20]
 *
 * The folder of the sets comes from EVAL_DATA.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { diffArrays } from 'diff';
import { readJsonLines } from '../bench/search/read-json-lines.ts';
import { extractHtml } from '../src/pages/extract/extract-html.ts';
import { compareTexts, type TextChange } from '../src/text/changes/compare-texts.ts';
import { makeNoise } from './changes/made-noise.ts';
import { readRealPairs } from './changes/real-pairs.ts';
import { createRandom, editPage, type WrittenEdit } from './changes/written-edits.ts';

const { values } = parseArgs({ options: { worst: { type: 'string', default: '0' } } });
const WORST = Number(values.worst);
const DATA = process.env.EVAL_DATA ?? '../shared/data';
const PAIRS_MAX = 300;
const EDITS = 200;
const EDITS_PER_PAGE = 4;
const NOISY_PAGES = 150;
const random = createRandom(36);

type Line = { text: string; start: number; end: number };

const formatShare = (part: number, all: number): string =>
  all === 0 ? '-' : `${((100 * part) / all).toFixed(1)} %`;

measureRealPairs();
measureEdits();
measureNoise();

function measureRealPairs(): void {
  const pairs = readRealPairs(join(import.meta.dirname, '..'));
  const chosen = pairs.filter((_, at) => at % Math.max(1, Math.ceil(pairs.length / PAIRS_MAX)) === 0);
  const missed: string[] = [];
  let [differing, found, reported, founded] = [0, 0, 0, 0];
  for (const { name, before, after } of chosen) {
    const { changes } = compareTexts(before, after);
    const lines = listDifferingLines(before, after);
    const within = (side: 'before' | 'after', { start, end }: Line): boolean =>
      changes.some(({ [side]: passage }) => passage !== null && passage.start < end && start < passage.end);
    for (const [side, all] of Object.entries(lines) as ['before' | 'after', Line[]][])
      for (const line of all) {
        differing += 1;
        if (within(side, line)) found += 1;
        else missed.push(`${name} ${side}: ${line.text.slice(0, 120)}`);
      }
    for (const { kind, before: gone, after: come } of changes) {
      if (kind === 'moved') continue;
      reported += 1;
      const holds = (all: Line[], passage: typeof gone): boolean =>
        passage !== null && all.some(({ start, end }) => passage.start < end && start < passage.end);
      if (holds(lines.before, gone) || holds(lines.after, come)) founded += 1;
    }
  }
  console.log(`real pairs: ${chosen.length}`);
  console.log(`  lines that differ ${differing}, found in a change ${formatShare(found, differing)}`);
  console.log(`  changes ${reported}, on a line that differs ${formatShare(founded, reported)}`);
  for (const line of missed.slice(0, WORST)) console.log(`    missed ${line}`);
}

/** Lists the lines with text that a plain difference of two texts removes and adds. White space counts once. */
function listDifferingLines(before: string, after: string): { before: Line[]; after: Line[] } {
  const [lines, linesAfter] = [listLines(before), listLines(after)];
  const parts = diffArrays(
    lines.map(({ text }) => text),
    linesAfter.map(({ text }) => text),
  );
  const differing: { before: Line[]; after: Line[] } = { before: [], after: [] };
  let [at, atAfter] = [0, 0];
  for (const { added, removed, count } of parts) {
    if (removed) differing.before.push(...lines.slice(at, at + count));
    if (added) differing.after.push(...linesAfter.slice(atAfter, atAfter + count));
    if (!added) at += count;
    if (!removed) atAfter += count;
  }
  return differing;
}

/** Lines of letters or figures; marks alone, such as rules and fences, say nothing. */
function listLines(markdown: string): Line[] {
  return [...markdown.matchAll(/[^\n]+/g)].flatMap(({ 0: line, index }) => {
    const text = line.replaceAll(/\s+/g, ' ').trim();
    return /[\p{L}\p{N}]/u.test(text) ? [{ text, start: index, end: index + line.length }] : [];
  });
}

function measureEdits(): void {
  const pages = readJsonLines<{ source: string }>(join(DATA, 'docs_twin_dev/pages.jsonl.gz'));
  const missed: string[] = [];
  const byKind = new Map<string, [found: number, all: number]>();
  let [edits, found, reported, founded, lines] = [0, 0, 0, 0, 0];
  for (let at = 0; edits < EDITS && at < pages.length * 4; at += 1) {
    const page = editPage(pages[at % pages.length]?.source ?? '', EDITS_PER_PAGE, random);
    if (page === null) continue;
    const { changes } = compareTexts(page.before, page.after);
    const meant = changes.filter(({ noise }) => noise === null);
    for (const edit of page.edits.slice(0, EDITS - edits)) {
      const isFound = meant.some((change) => tellsOf(change, edit));
      const [known, all] = byKind.get(edit.kind) ?? [0, 0];
      byKind.set(edit.kind, [known + Number(isFound), all + 1]);
      edits += 1;
      if (isFound) found += 1;
      else missed.push(JSON.stringify(edit).slice(0, 200));
    }
    reported += meant.length;
    for (const change of meant)
      if (!page.edits.some((edit) => tellsOf(change, edit)))
        missed.push(
          `nobody's ${change.kind}: ${change.before?.quote.slice(0, 90)} -> ${change.after?.quote.slice(0, 90)}`,
        );
    founded += meant.filter((change) => page.edits.some((edit) => tellsOf(change, edit))).length;
    const plain = listDifferingLines(page.before, page.after);
    lines += plain.before.length + plain.after.length;
  }
  console.log(`written edits: ${edits}`);
  console.log(
    `  found ${formatShare(found, edits)}; changes reported ${reported}, of an edit ${formatShare(founded, reported)}`,
  );
  console.log(`  a plain difference reports ${lines} lines`);
  console.log(`  ${[...byKind].map(([kind, [some, all]]) => `${kind} ${some}/${all}`).join(', ')}`);
  for (const line of missed.slice(0, WORST)) console.log(`    missed ${line}`);
}

function tellsOf({ kind, before, after, words }: TextChange, edit: WrittenEdit): boolean {
  const [gone, come] = [before?.quote ?? '', after?.quote ?? ''];
  if (edit.kind === 'move')
    return (kind === 'moved' && come.trim() === edit.added?.trim()) || gone.trim() === edit.removed?.trim();
  if (edit.removed === null || edit.kind === 'item')
    return come.includes(edit.added ?? '') && kind !== 'moved';
  if (edit.added === null) return gone !== '' && edit.removed.includes(gone.trim()) && kind !== 'moved';
  if (words === null) return gone.includes(edit.removed) && come.includes(edit.added);
  return words.some((run) => run.kind === 'added' && run.text.includes(edit.added ?? ''));
}

function measureNoise(): void {
  const pages = ['wcxb_dev', 'readability_pages', 'older_articles'].flatMap((set) =>
    readJsonLines<{ url?: string | null; html: string }>(join(DATA, set, 'pages.jsonl.gz')),
  );
  const wrong: string[] = [];
  let [count, quiet, plain] = [0, 0, 0];
  for (const { url, html } of pages) {
    if (count === NOISY_PAGES) break;
    const noisy = makeNoise(extractHtml(html, url ?? 'https://site.example/').markdown, random);
    if (noisy === null || noisy.before === noisy.after) continue;
    const { changes, isChanged } = compareTexts(noisy.before, noisy.after);
    const lines = listDifferingLines(noisy.before, noisy.after);
    count += 1;
    if (!isChanged) quiet += 1;
    if (lines.before.length + lines.after.length === 0) plain += 1;
    for (const { kind, noise, before, after } of changes)
      if (noise === null)
        wrong.push(`${kind}: ${before?.quote.slice(0, 100)} -> ${after?.quote.slice(0, 100)}`);
  }
  console.log(`pages of which only noise differs: ${count}`);
  console.log(
    `  reported as changed ${formatShare(count - quiet, count)}; by a plain difference ${formatShare(count - plain, count)}`,
  );
  for (const line of wrong.slice(0, WORST)) console.log(`    wrong ${line}`);
}
