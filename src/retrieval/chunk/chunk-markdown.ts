import { HIGHLIGHT_CHARS_MAX, HIGHLIGHT_CHARS_MIN } from '../../limits.ts';
import type { Chunk } from '../page.ts';
import { type Piece, piecesOf } from './pieces.ts';

/** Costs of a division; only their order matters. A chunk that is too short costs more than any ugly border. */
const SHORT_COST = 1_000;
const BORDER_COST = { beforeHeading: 0, betweenBlocks: 4, insideBlock: 12, afterHeading: 200 };
const IDEAL_CHARS = 560;

/**
 * Markdown -> chunks of 400 to 700 characters in page order, cut where it hurts least (shortest path over all borders).
 * A page shorter than 400 characters is one shorter chunk; a cut table repeats its header, a cut code block its fences.
 */
export function chunkMarkdown(
  markdown: string,
  size: { charsMin: number; charsMax: number } = {
    charsMin: HIGHLIGHT_CHARS_MIN,
    charsMax: HIGHLIGHT_CHARS_MAX,
  },
): Chunk[] {
  const pieces = piecesOf(markdown, size.charsMax);
  const bestFrom = cheapestDivision(pieces, size);
  const chunks: Chunk[] = [];
  for (let last = pieces.length; last > 0; last = bestFrom[last] ?? last - 1) {
    const first = bestFrom[last] ?? last - 1;
    chunks.push(chunkOf(markdown, pieces.slice(first, last)));
  }
  return chunks.reverse();
}

/** For each count of pieces, where its last chunk begins in the cheapest division of them. */
function cheapestDivision(pieces: Piece[], size: { charsMin: number; charsMax: number }): number[] {
  const cost: number[] = [0];
  const from: number[] = [0];
  for (let to = 1; to <= pieces.length; to += 1) {
    cost[to] = Number.POSITIVE_INFINITY;
    for (let first = to - 1; first >= 0; first -= 1) {
      const chars = charsOf(pieces, first, to);
      if (chars > size.charsMax && first < to - 1) break;
      const total = (cost[first] ?? 0) + chunkCost(chars, size) + borderCost(pieces, to);
      if (total < (cost[to] ?? 0)) {
        cost[to] = total;
        from[to] = first;
      }
    }
  }
  return from;
}

function charsOf(pieces: Piece[], first: number, to: number): number {
  const [head, tail] = [pieces[first], pieces[to - 1]];
  if (head === undefined || tail === undefined) return 0;
  return (
    tail.end -
    head.start +
    (head.firstOfBlock ? 0 : head.before.length) +
    (tail.lastOfBlock ? 0 : tail.after.length)
  );
}

function chunkCost(chars: number, size: { charsMin: number }): number {
  const missing = Math.max(0, size.charsMin - chars);
  return (missing > 0 ? SHORT_COST + missing : 0) + Math.abs(chars - IDEAL_CHARS) / 100;
}

function borderCost(pieces: Piece[], to: number): number {
  const [left, right] = [pieces[to - 1], pieces[to]];
  if (left === undefined || right === undefined) return 0;
  if (left.kind === 'heading') return BORDER_COST.afterHeading;
  if (right.kind === 'heading') return BORDER_COST.beforeHeading;
  return left.lastOfBlock ? BORDER_COST.betweenBlocks : BORDER_COST.insideBlock;
}

function chunkOf(markdown: string, pieces: Piece[]): Chunk {
  const [head, tail] = [pieces[0], pieces.at(-1)];
  if (head === undefined || tail === undefined) throw new RangeError('a chunk has at least one piece');
  const before = head.firstOfBlock ? '' : head.before;
  const after = tail.lastOfBlock ? '' : tail.after;
  const text = `${before}${markdown.slice(head.start, tail.end)}${after}`;
  return { markdown: text, headingPath: head.headingPath, start: head.start, end: tail.end };
}
