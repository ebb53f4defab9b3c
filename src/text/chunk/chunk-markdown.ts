/**
 * Splits the Markdown of a page into chunks of a given size, at the places where a cut hurts least. The slices of the chunks joined
 * are the page, and each chunk is valid Markdown by itself. Chunks are not scored here.
 */

import { HIGHLIGHT_CHARS_MAX, HIGHLIGHT_CHARS_MIN } from '../../contract/limits.ts';
import { type Piece, splitPieces } from './pieces.ts';

/** Cost of a chunk that is too short, plus 1 per missing character. Above the cost of most borders, see `pieces.ts`. */
const SHORT_COST = 1_000;
/**
 * Cost of a short chunk of at least 200 characters that is a whole section or entry, or the end of one: a highlight extends beyond
 * it.
 */
const SHORT_UNIT_COST = { whole: 15, end: 60 };
const UNIT_CHARS_MIN = 200;
/** Cost of a chunk that begins with the end of a section or entry and goes on with the next. */
const TAIL_COST = 300;
const IDEAL_CHARS = 560;

type ChunkSize = { charsMin: number; charsMax: number };

/**
 * Splits Markdown into chunks of 400 to 700 characters in page order, cut where it hurts least (shortest path over all borders).
 * Their slices joined are the page. A page shorter than 400 characters is one shorter chunk; a page without text has none.
 */
export function chunkMarkdown(
  markdown: string,
  size: ChunkSize = { charsMin: HIGHLIGHT_CHARS_MIN, charsMax: HIGHLIGHT_CHARS_MAX },
): Chunk[] {
  const pieces = splitPieces(markdown, size.charsMax);
  const bestFrom = findCheapestDivision(pieces, size);
  const chunks: Chunk[] = [];
  for (let to = pieces.length; to > 0; to = bestFrom[to] ?? 0)
    chunks.push(buildChunk(markdown, pieces, { from: bestFrom[to] ?? 0, to }));
  return chunks.reverse();
}

/** Returns, for each number of pieces, the start of the last chunk in their cheapest division. */
function findCheapestDivision(pieces: Piece[], size: ChunkSize): Int32Array {
  const cost = new Float64Array(pieces.length + 1);
  const bestFrom = new Int32Array(pieces.length + 1);
  for (const [index, tail] of pieces.entries()) {
    let best = Number.POSITIVE_INFINITY;
    let unseen = 0;
    let begun = -1;
    for (let from = index; from >= 0; from -= 1) {
      const head = pieces[from];
      if (head === undefined || (from < index && tail.end - head.start > size.charsMax)) break;
      unseen += head.unseen;
      const chars = tail.end - head.start + head.before.length + tail.after.length;
      if (chars > size.charsMax && from < index) continue;
      const isTail = begun !== -1 && !head.beginsUnit && (begun === 2 || head.continuesItem);
      const endsUnit = pieces[index + 1]?.beginsUnit ?? (head.beginsUnit || head.headings.length > 0);
      const unit = endsUnit && !isTail ? (head.beginsUnit ? 'whole' : 'end') : null;
      const total =
        (cost[from] ?? 0) + computeChunkCost(chars - unseen, size, unit) + (isTail ? TAIL_COST : 0);
      if (head.beginsUnit) begun = head.isHeading ? 2 : Math.max(begun, 1);
      if (total < best) {
        best = total;
        bestFrom[index + 1] = from;
      }
    }
    cost[index + 1] = best + tail.cost;
  }
  return bestFrom;
}

/** `chars` counts the characters that a reader sees. */
function computeChunkCost(
  chars: number,
  { charsMin }: ChunkSize,
  unit: keyof typeof SHORT_UNIT_COST | null,
): number {
  const missing = Math.max(0, charsMin - chars);
  const isShortUnit = unit !== null && chars >= Math.min(UNIT_CHARS_MIN, charsMin);
  const short = missing === 0 ? 0 : isShortUnit ? SHORT_UNIT_COST[unit] : SHORT_COST + missing;
  return short + Math.abs(chars - IDEAL_CHARS) / 100;
}

function buildChunk(markdown: string, pieces: Piece[], { from, to }: { from: number; to: number }): Chunk {
  // Headings at the beginning of a chunk count as above its text.
  let told = from;
  while (told < to - 1 && pieces[told]?.isHeading === true) told += 1;
  const headings = pieces[told]?.headings ?? [];
  // Headings without text below them are not shown.
  let shown = from;
  while (shown < told && !headings.some(({ start }) => start === pieces[shown]?.start)) shown += 1;
  const [head, tail] = [pieces[shown], pieces[to - 1]];
  if (head === undefined || tail === undefined) throw new RangeError('a chunk has at least one piece');
  const { before } = head;
  const { after } = tail;
  return {
    markdown: `${before}${markdown.slice(head.start, tail.end)}${after}`,
    headingPath: headings.map(({ text }) => text),
    start: from === 0 ? 0 : (pieces[from]?.start ?? 0),
    end: pieces[to]?.start ?? markdown.length,
    headings,
    ...(before === '' && after === '' ? {} : { added: { before, after } }),
  };
}

/**
 * A piece of a page: Markdown of 400 to 700 characters with the headings above it. `start` and `end` are offsets into the
 * page's Markdown; the slices of its chunks joined are the page.
 */
export type Chunk = {
  markdown: string;
  headingPath: string[];
  start: number;
  end: number;
  /** Offsets of the headings of `headingPath` in the page. */
  headings?: readonly { start: number; end: number }[];
  /** Text that a cut adds around its slice: a table's header, a fence, quote marks. Absent: nothing. */
  added?: { before: string; after: string };
};

export type ScoredChunk = Chunk & {
  score: number;
  /**
   * Two other scores of the chunks of a page; absent: 0. `words`: plain BM25 of the best paragraph; `does`: how well it answers a
   * how-to question.
   */
  words?: number;
  does?: number;
};

/** A part of a page's Markdown and the headings above its start, outermost first. */
export type Place = { start: number; end: number; headingPath: string[] };
