import { HIGHLIGHT_CHARS_MAX, HIGHLIGHT_CHARS_MIN } from '../../contract/limits.ts';
import type { ScoredChunk } from '../chunk/chunk-markdown.ts';
import { chunkMarkdown } from '../chunk/chunk-markdown.ts';
import { ENTRY } from '../chunk/pieces.ts';

/** Highlights shorter than this extend into their own section; those shorter than 400 into any. */
const CHARS_WANTED = 640;
/** Length of the blank line between two joined texts. */
const JOINT_CHARS = 2;
/** Minimum room for adding part of a neighbour. */
const ADDED_CHARS_MIN = 60;
/** Minimum share of the remaining room that part of a neighbour takes. */
const ADDED_SHARE_MIN = 0.5;
/** Matches the beginning of a text that refers to the text before it. */
const REFERS_BACK =
  /^(?:[^.:\n]{0,120}\b(?:above|preceding)\b|(?:this|these|that|those|it|its|they|such|however|but|otherwise|instead|either way|in this|in that|then|note that)\b)/i;

/**
 * Extends short chosen chunks of a page, best first, into their neighbours, even into one that is chosen later: a completing text
 * is worth more with the best chunk than alone. They stay exact slices of the page of at most 700 characters; together they grow to
 * at most `charsMax`.
 */
export function extendHighlights(
  markdown: string,
  { chunks, chosen }: { chunks: readonly ScoredChunk[]; chosen: readonly ScoredChunk[] },
  charsMax: number | null,
): ScoredChunk[] {
  const taken = new Set<number>();
  const places = new Map(chunks.map(({ end }, place) => [end, place]));
  let room =
    (charsMax ?? Number.POSITIVE_INFINITY) - chosen.reduce((sum, one) => sum + one.markdown.length, 0);
  return chosen.map((chunk) => {
    const place = places.get(chunk.end) ?? 0;
    taken.add(place);
    const grow = (grown: ScoredChunk, side: 1 | -1, mayRepeat: boolean): ScoredChunk => {
      const isNeeded = grown.markdown.length < HIGHLIGHT_CHARS_MIN;
      const other = chunks[place + side];
      if (other === undefined || grown.markdown.length >= CHARS_WANTED) return grown;
      if (mayRepeat ? !isNeeded : taken.has(place + side)) return grown;
      if (!isNeeded && !isSameSection(chunk, other, side)) return grown;
      const longest = Math.min(HIGHLIGHT_CHARS_MAX, grown.markdown.length + room);
      const joined = joinNeighbour(markdown, grown, { other, side, longest });
      if (joined === null) return grown;
      taken.add(place + side);
      room -= joined.markdown.length - grown.markdown.length;
      return joined;
    };
    const sides = orderSides(chunk, chunks[place - 1], chunks[place + 1]);
    const alone = sides.reduce((grown, side) => grow(grown, side, false), chunk);
    // Shows a text twice rather than a highlight shorter than promised.
    return sides.reduce((grown, side) => grow(grown, side, true), alone);
  });
}

/**
 * Returns the order in which to try the neighbours: the next one first for a chunk that begins its section or an entry, the
 * previous one first for a chunk that refers back; otherwise the one with the higher score first.
 */
function orderSides(
  { markdown }: ScoredChunk,
  before: ScoredChunk | undefined,
  after: ScoredChunk | undefined,
): (1 | -1)[] {
  if (REFERS_BACK.test(markdown)) return [-1, 1];
  const isForward = isUnitStart(markdown) || (after?.score ?? 0) > (before?.score ?? 0);
  return isForward ? [1, -1] : [-1, 1];
}

/** True when a chunk begins with a heading or a list entry. */
const isUnitStart = (markdown: string): boolean => markdown.startsWith('#') || ENTRY.test(markdown);

/**
 * True when a neighbour belongs to the section of a chunk: the next may be nested deeper, but the previous must not end another
 * section or entry.
 */
function isSameSection(chunk: ScoredChunk, other: ScoredChunk, side: 1 | -1): boolean {
  if (side === -1 && isUnitStart(chunk.markdown)) return false;
  const [own, path] = [chunk.headingPath, other.headingPath];
  return own.every((heading, level) => heading === path[level]) && (side === 1 || path.length === own.length);
}

type JoinOptions = { other: ScoredChunk; side: 1 | -1; longest: number };

function joinNeighbour(
  markdown: string,
  chunk: ScoredChunk,
  { other, side, longest }: JoinOptions,
): ScoredChunk | null {
  const [first, second] = side === 1 ? [chunk, other] : [other, chunk];
  const whole = mergeSlices(markdown, first, second);
  if (whole.markdown.length <= longest) return { ...chunk, ...whole };
  // Part of a table or of code would need its own header or fence.
  if (isFramed(chunk) || isFramed(other)) return null;
  const room = longest - chunk.markdown.length - JOINT_CHARS;
  const least = Math.max(1, HIGHLIGHT_CHARS_MIN - chunk.markdown.length);
  if (room < Math.max(least, ADDED_CHARS_MIN)) return null;
  const parts = chunkMarkdown(markdown.slice(other.start, other.end), {
    charsMin: Math.max(least, Math.floor(room * ADDED_SHARE_MIN)),
    charsMax: room,
  });
  const part = side === 1 ? parts[0] : parts.at(-1);
  if (part === undefined) return null;
  const added = part.added ?? { before: '', after: '' };
  if (part.markdown.length < ADDED_CHARS_MIN && least === 1) return null;
  // The part was chunked without the headings above it.
  const { headingPath, headings } = side === -1 && !chunk.markdown.startsWith('#') ? chunk : other;
  const near = {
    ...part,
    added,
    headingPath,
    start: other.start + part.start,
    end: other.start + part.end,
    ...(headings === undefined ? {} : { headings }),
  };
  const joined = side === 1 ? mergeSlices(markdown, chunk, near) : mergeSlices(markdown, near, chunk);
  return joined.markdown.length <= longest ? { ...chunk, ...joined } : null;
}

const isFramed = ({ added }: ScoredChunk): boolean =>
  added !== undefined && added.before + added.after !== '';

/** Merges two neighbours into one slice of the page. */
function mergeSlices(
  markdown: string,
  first: Pick<ScoredChunk, 'markdown' | 'start' | 'end' | 'added' | 'headingPath' | 'headings'>,
  second: Pick<ScoredChunk, 'end' | 'added'>,
): Pick<ScoredChunk, 'markdown' | 'start' | 'end' | 'added' | 'headingPath'> {
  const before = first.added?.before ?? '';
  const after = second.added?.after ?? '';
  const shown = first.markdown.slice(before.length, first.markdown.length - (first.added?.after.length ?? 0));
  const start = Math.max(first.start, markdown.indexOf(shown, first.start));
  const text = markdown.slice(start, second.end).trimEnd();
  return {
    markdown: `${before}${text}${after}`,
    start,
    end: second.end,
    headingPath: first.headingPath,
    ...(first.headings === undefined ? {} : { headings: first.headings }),
    added: { before, after },
  };
}
