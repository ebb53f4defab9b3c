import { HIGHLIGHT_CHARS_MAX, HIGHLIGHT_CHARS_MIN } from '../../contract/limits.ts';
import type { Chunk } from './chunk.ts';
import { type Piece, piecesOf } from './pieces.ts';

/** What a chunk that is too short costs, and each character that it lacks. Above the cost of most borders, see `pieces.ts`. */
const SHORT_COST = 1_000;
const IDEAL_CHARS = 560;

type Size = { charsMin: number; charsMax: number };

/**
 * Markdown -> chunks of 400 to 700 characters in page order, cut where it hurts least (shortest path over all borders).
 * Their slices joined are the page. A page shorter than 400 characters is one shorter chunk; a page without text has none.
 */
export function chunkMarkdown(
  markdown: string,
  size: Size = { charsMin: HIGHLIGHT_CHARS_MIN, charsMax: HIGHLIGHT_CHARS_MAX },
): Chunk[] {
  const pieces = piecesOf(markdown, size.charsMax);
  const bestFrom = cheapestDivision(pieces, size);
  const chunks: Chunk[] = [];
  for (let to = pieces.length; to > 0; to = bestFrom[to] ?? 0)
    chunks.push(chunkOf(markdown, pieces, { from: bestFrom[to] ?? 0, to }));
  return chunks.reverse();
}

/** For each count of pieces, where its last chunk begins in the cheapest division of them. */
function cheapestDivision(pieces: Piece[], size: Size): Int32Array {
  const cost = new Float64Array(pieces.length + 1);
  const bestFrom = new Int32Array(pieces.length + 1);
  for (const [index, tail] of pieces.entries()) {
    let best = Number.POSITIVE_INFINITY;
    for (let from = index; from >= 0; from -= 1) {
      const head = pieces[from];
      if (head === undefined || (from < index && tail.end - head.start > size.charsMax)) break;
      const chars = tail.end - head.start + head.before.length + tail.after.length;
      if (chars > size.charsMax && from < index) continue;
      const total = (cost[from] ?? 0) + chunkCost(chars, size);
      if (total < best) {
        best = total;
        bestFrom[index + 1] = from;
      }
    }
    cost[index + 1] = best + tail.cost;
  }
  return bestFrom;
}

function chunkCost(chars: number, { charsMin }: Size): number {
  const missing = Math.max(0, charsMin - chars);
  return (missing > 0 ? SHORT_COST + missing : 0) + Math.abs(chars - IDEAL_CHARS) / 100;
}

function chunkOf(markdown: string, pieces: Piece[], { from, to }: { from: number; to: number }): Chunk {
  const [head, tail] = [pieces[from], pieces[to - 1]];
  if (head === undefined || tail === undefined) throw new RangeError('a chunk has at least one piece');
  const { before } = head;
  const { after } = tail;
  // Headings at the beginning of the chunk count as above its text.
  let told = from;
  while (told < to - 1 && pieces[told]?.isHeading === true) told += 1;
  const headings = pieces[told]?.headings ?? [];
  return {
    markdown: `${before}${markdown.slice(head.start, tail.end)}${after}`,
    headingPath: headings.map(({ text }) => text),
    start: from === 0 ? 0 : head.start,
    end: pieces[to]?.start ?? markdown.length,
    headings,
    ...(before === '' && after === '' ? {} : { added: { before, after } }),
  };
}
