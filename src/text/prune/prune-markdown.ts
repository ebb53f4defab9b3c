import { type Chunk, chunkMarkdown, type Place, type ScoredChunk } from '../chunk/chunk-markdown.ts';
import { trimSpan } from '../citations/trimmed-span.ts';
import { parseMarkdownBlocks } from '../markup/markdown-blocks.ts';
import { AMOUNT, type Amount, selectChunks } from './select-chunks.ts';

/** Distance back from the limit within which a line or word boundary is searched for. */
const BORDER_CHARS = 200;

/** The way a pruned context was chosen: by relevance, as the opening if nothing is relevant, or whole if nothing can be left out. */
export type PruneMethod = 'relevance' | 'opening' | 'whole';
type PrunedContext = {
  markdown: string;
  prunedBy: PruneMethod;
  /** Places of the parts of the page that it quotes verbatim, in page order, without white space at their ends. */
  runs: Place[];
};

/** Gaps shorter than this, or than this share of the page, are filled: the text is hardly longer than the `[…]` mark. */
const FILLED_GAP = { chars: 250, share: 1 / 8 };
/** Longer headings are not repeated above their text. */
const HEADING_CHARS_MAX = 200;
/** Size of an opening, in characters. */
const OPENING = { charsMin: 60, charsMax: 200 };
const LEFT_OUT = '[…]';

/** A part of the page to show, with the text added at its ends. */
type PageSlice = { start: number; end: number; before: string; after: string };
/** Adjacent kept chunks; the heading path is that of the first. */
type Run = PageSlice & { headingPath: string[] };

/**
 * Reduces a page to its relevant chunks, in page order, each heading once above its text, and `[…]` wherever text was left out.
 * Scores are from 0 to 1; without a relevant chunk the result is the opening.
 */
export function pruneMarkdown(
  markdown: string,
  scored: ScoredChunk[],
  amount: Amount = AMOUNT,
): PrunedContext {
  if (scored.length === 0)
    return { markdown: closeFence(markdown), prunedBy: 'whole', runs: buildWholePlaces(markdown, scored) };
  const relevant = selectChunks(scored, amount);
  const kept = relevant.length > 0 ? relevant : chooseOpening(markdown, scored);
  const runs = joinRuns(markdown, kept);
  if (runs.length === 1 && isAll(runs[0], markdown))
    return { markdown: closeFence(markdown), prunedBy: 'whole', runs: buildWholePlaces(markdown, scored) };
  const text = assemble(markdown, [...findHeadingsAbove(kept, runs), ...runs]);
  return {
    markdown: text,
    prunedBy: relevant.length > 0 ? 'relevance' : 'opening',
    runs: trimPlaces(markdown, runs),
  };
}

const isAll = (run: Run | undefined, markdown: string): boolean =>
  run !== undefined && !hasText(markdown, 0, run.start) && !hasText(markdown, run.end, markdown.length);

const buildWholePlaces = (markdown: string, [first]: ScoredChunk[]): Place[] =>
  trimPlaces(markdown, [{ start: 0, end: markdown.length, headingPath: first?.headingPath ?? [] }]);

function trimPlaces(markdown: string, runs: Place[]): Place[] {
  return runs
    .map(({ start, end, headingPath }) => ({ ...trimSpan(markdown, { start, end }), headingPath }))
    .filter(({ start, end }) => start < end);
}

/**
 * Returns the first sentences of the page, with any text that the cut must add; the whole first chunk if it begins with a table.
 */
function chooseOpening(markdown: string, [first]: ScoredChunk[]): Chunk[] {
  if (first === undefined) return [];
  const [short = first] = chunkMarkdown(markdown.slice(0, first.end), OPENING);
  return [/^[ >]*\|/m.test(short.markdown) ? first : short];
}

/** Joins neighbouring chunks, so that blocks cut between them are whole again. */
function joinRuns(markdown: string, kept: Chunk[]): Run[] {
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

/** Finds the headings above the kept chunks that are in none of the runs. */
function findHeadingsAbove(kept: Chunk[], runs: PageSlice[]): PageSlice[] {
  const starts = new Set<number>();
  const found: PageSlice[] = [];
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

function assemble(markdown: string, shown: PageSlice[]): string {
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

/**
 * Truncates Markdown to at most `charsMax` characters (null: no limit), at the end of a line or word, and closes an open code
 * fence.
 */
export function cutMarkdown(markdown: string, charsMax: number | null): string {
  if (charsMax === null || markdown.length <= charsMax) return markdown;
  const cut = cutText(markdown, charsMax);
  const fence = findOpenFence(cut);
  if (fence === null) return cut;
  const closing = `\n${fence}`;
  if (charsMax <= closing.length) return '';
  const shorter = cutText(markdown, charsMax - closing.length);
  return findOpenFence(shorter) === null ? shorter : `${shorter}${closing}`;
}

function cutText(text: string, charsMax: number): string {
  const head = text.slice(0, charsMax);
  const border = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '));
  if (border >= charsMax - BORDER_CHARS && border > 0) return head.slice(0, border).trimEnd();
  const last = head.charCodeAt(head.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? head.slice(0, -1) : head;
}

/** Closes the code fence that a text leaves open, if any. */
function closeFence(markdown: string): string {
  const closing = findOpenFence(markdown);
  return closing === null ? markdown : `${markdown.trimEnd()}\n${closing}`;
}

/** Returns the line that closes the code fence left open at the end of a text, or null. */
function findOpenFence(markdown: string): string | null {
  if (!markdown.includes('```') && !markdown.includes('~~~')) return null;
  const last = parseMarkdownBlocks(markdown).at(-1);
  return last?.fence?.isClosed === false ? last.fence.closing : null;
}
