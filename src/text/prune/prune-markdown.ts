import type { Chunk, Place, ScoredChunk } from '../chunk/chunk.ts';
import { chunkMarkdown } from '../chunk/chunk-markdown.ts';
import { trimmedSpan } from '../citations/trimmed-span.ts';
import { AMOUNT, type Amount, keptChunks } from './kept-chunks.ts';
import { closeFence } from './open-fence.ts';

/** How a pruned context was chosen: by relevance, as the opening where nothing is relevant, or whole where nothing can be left out. */
export type PrunedBy = 'relevance' | 'opening' | 'whole';
type Pruned = {
  markdown: string;
  prunedBy: PrunedBy;
  /** The parts of the page that it quotes verbatim, in page order, without white space at their ends. */
  runs: Place[];
};

/** Gaps shorter than this, or than this share of the page, are filled: the text costs hardly more than the `[…]` mark. */
const FILLED_GAP = { chars: 250, share: 1 / 8 };
/** Longer headings are not repeated above what they head. */
const HEADING_CHARS_MAX = 200;
/** Characters of an opening. */
const OPENING = { charsMin: 60, charsMax: 200 };
const LEFT_OUT = '[…]';

/** A part of the page that is shown, with what its ends add. */
type Shown = { start: number; end: number; before: string; after: string };
/** Kept chunks that follow each other; headings as above the first. */
type Run = Shown & { headingPath: string[] };

/**
 * The page reduced to the relevant chunks, in page order, each heading once above its text, and `[…]`
 * wherever text was left out. Scores from 0 to 1; without a relevant chunk the result is the opening.
 */
export function pruneMarkdown(markdown: string, scored: ScoredChunk[], amount: Amount = AMOUNT): Pruned {
  if (scored.length === 0)
    return { markdown: closeFence(markdown), prunedBy: 'whole', runs: wholeOf(markdown, scored) };
  const relevant = keptChunks(scored, amount);
  const kept = relevant.length > 0 ? relevant : openingOf(markdown, scored);
  const runs = runsOf(markdown, kept);
  if (runs.length === 1 && isAll(runs[0], markdown))
    return { markdown: closeFence(markdown), prunedBy: 'whole', runs: wholeOf(markdown, scored) };
  const text = assemble(markdown, [...headingsAbove(kept, runs), ...runs]);
  return {
    markdown: text,
    prunedBy: relevant.length > 0 ? 'relevance' : 'opening',
    runs: placesOf(markdown, runs),
  };
}

const isAll = (run: Run | undefined, markdown: string): boolean =>
  run !== undefined && !hasText(markdown, 0, run.start) && !hasText(markdown, run.end, markdown.length);

const wholeOf = (markdown: string, [first]: ScoredChunk[]): Place[] =>
  placesOf(markdown, [{ start: 0, end: markdown.length, headingPath: first?.headingPath ?? [] }]);

function placesOf(markdown: string, runs: Place[]): Place[] {
  return runs
    .map(({ start, end, headingPath }) => ({ ...trimmedSpan(markdown, { start, end }), headingPath }))
    .filter(({ start, end }) => start < end);
}

/** The first sentences of the page, with what a cut there must add; its first chunk whole where that begins with a table. */
function openingOf(markdown: string, [first]: ScoredChunk[]): Chunk[] {
  if (first === undefined) return [];
  const [short = first] = chunkMarkdown(markdown.slice(0, first.end), OPENING);
  return [/^[ >]*\|/m.test(short.markdown) ? first : short];
}

/** Neighbouring chunks joined, so that what was cut between them is whole again. */
function runsOf(markdown: string, kept: Chunk[]): Run[] {
  const runs: Run[] = [];
  const filled = Math.min(FILLED_GAP.chars, FILLED_GAP.share * markdown.length);
  for (const { start, end, headingPath, added } of kept) {
    const last = runs.at(-1);
    if (last !== undefined && markdown.slice(last.end, start).trim().length <= filled) {
      last.end = end;
      last.after = added?.after ?? '';
    } else runs.push({ start, end, headingPath, before: added?.before ?? '', after: added?.after ?? '' });
  }
  return runs;
}

/** The headings above the kept chunks that are in none of the runs. */
function headingsAbove(kept: Chunk[], runs: Shown[]): Shown[] {
  const starts = new Set<number>();
  const found: Shown[] = [];
  for (const { headings = [] } of kept) {
    for (const { start, end } of headings) {
      if (starts.has(start) || end - start > HEADING_CHARS_MAX) continue;
      starts.add(start);
      if (!runs.some((run) => run.start <= start && end <= run.end))
        found.push({ start, end, before: '', after: '' });
    }
  }
  return found;
}

function assemble(markdown: string, shown: Shown[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const one of shown.toSorted((left, right) => left.start - right.start)) {
    if (hasText(markdown, end, one.start)) parts.push(LEFT_OUT);
    const text = markdown
      .slice(one.start, one.end)
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd();
    if (text !== '') parts.push(`${one.before}${text}${one.after}`);
    end = one.end;
  }
  if (hasText(markdown, end, markdown.length)) parts.push(LEFT_OUT);
  return parts.join('\n\n');
}

function hasText(markdown: string, start: number, end: number): boolean {
  return start < end && /[^\s>*_-]/.test(markdown.slice(start, end));
}
