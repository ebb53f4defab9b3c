import { isInSpan, type TextCut, textCuts } from './sentences.ts';

/** An end of a piece of text and what a border there costs. */
export type CutPoint = { at: number; cost: number };

/** Costs of cuts; only their order matters, see `chunk-markdown.ts`. */
const COST: Record<TextCut['kind'] | 'space' | 'inside', number> = {
  sentence: 12,
  line: 40,
  clause: 400,
  space: 700,
  inside: 900,
};
/** Shorter sentences are cut only where they must be. */
const LONG_SENTENCE_CHARS = 200;
/** A stretch without any mark is offered in such steps when it is longer, so that chunks of a good size can be made. */
const UNBROKEN_CHARS = 300;
const ROOM_CHARS_MIN = 24;
const STEP_CHARS = 120;
/** How far back from the bound the border of a word is looked for in scripts without spaces. */
const WORDS_CHARS = 60;
/** Marks of a code fence, see `markdown-blocks.ts`. */
const FENCE_CHARS_MIN = 3;
const FENCE_CHARS_MAX = 20;
/** Behind such a cut a chunk would begin with what reads as a code fence. */
const OPENS_FENCE = /^\s*(?:`{3}|~{3})/;
const LEFT_OF_RUN = /^(?:`+|~+)/;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Where a text may be cut so that no piece exceeds `room`: sentences, lines, clauses of long sentences, at worst words. */
export function splitText(text: string, room: number): CutPoint[] {
  const cuts: CutPoint[] = [];
  let clauses: TextCut[] = [];
  let last = 0;
  const push = (at: number, cost: number): void => {
    if (at <= last || OPENS_FENCE.test(text.slice(at, at + FENCE_CHARS_MAX))) return;
    for (const forced of forcedCuts(text, { from: last, to: at, room })) cuts.push(forced);
    cuts.push({ at, cost });
    last = at;
  };
  for (const cut of [...textCuts(text), { at: text.length, kind: 'sentence' as const }]) {
    if (cut.kind === 'clause') {
      clauses.push(cut);
      continue;
    }
    if (cut.at - last > LONG_SENTENCE_CHARS) for (const { at } of clauses) push(at, COST.clause);
    clauses = [];
    push(cut.at, COST[cut.kind]);
  }
  cuts.pop();
  return cuts;
}

/** Cuts within a stretch that has none of its own: where it does not fit it must be cut, best behind a `mark` where one is near. */
export function forcedCuts(
  text: string,
  { from, to, room, mark = ' ' }: { from: number; to: number; room: number; mark?: string },
): CutPoint[] {
  const cuts: CutPoint[] = [];
  // A frame may take all the room that there is; each cut must still be behind the one before.
  const left = Math.max(ROOM_CHARS_MIN, room);
  let last = from;
  while (to - last > Math.min(left, UNBROKEN_CHARS)) {
    const cut = mark === ' ' ? stepCut(text, last) : null;
    if (cut === null && to - last <= left) break;
    cuts.push(cut ?? forcedCut(text, { from: last, room: left, mark }));
    last = cuts.at(-1)?.at ?? to;
  }
  return cuts;
}

function stepCut(text: string, from: number): CutPoint | null {
  const step = text.slice(from, from + STEP_CHARS).lastIndexOf(' ');
  return step > 0 && !isInSpan(text, from + step) ? { at: from + step, cost: COST.space } : null;
}

function forcedCut(
  text: string,
  { from, room, mark }: { from: number; room: number; mark: string },
): CutPoint {
  const near = text.slice(from, from + room);
  const border = near.lastIndexOf(mark);
  if (mark !== ' ' && border > 0) return { at: from + border, cost: COST.space };
  const space = Math.max(near.lastIndexOf(' '), near.lastIndexOf('\n'));
  if (space <= 0)
    return { at: beforeFence(text, from, insideCut(text, from, from + room)), cost: COST.inside };
  const link = isInSpan(text, from + space) ? Math.max(near.lastIndexOf('['), near.lastIndexOf('`')) : -1;
  return { at: from + (link > room / 2 ? link : space), cost: COST.space };
}

/** A long run of backticks or tildes is cut so that what is left of it does not read as a code fence. */
function beforeFence(text: string, from: number, at: number): number {
  const left = LEFT_OF_RUN.exec(text.slice(at, at + FENCE_CHARS_MAX + 1))?.[0].length ?? 0;
  const earlier = at - (FENCE_CHARS_MAX + 1 - left);
  return left >= FENCE_CHARS_MIN && left <= FENCE_CHARS_MAX && earlier > from ? earlier : at;
}

/** Between two words of a script without spaces, behind a mark of an address, at worst between two characters. */
function insideCut(text: string, from: number, bound: number): number {
  const start = Math.max(from + 1, bound - WORDS_CHARS);
  const near = text.slice(start, bound + WORDS_CHARS);
  let best = start;
  for (const { index } of segmenter.segment(near)) {
    if (start + index > bound) break;
    best = start + index;
  }
  if (best > start) return best;
  const last = text.charCodeAt(bound - 1);
  return last >= 0xd800 && last <= 0xdbff ? bound - 1 : bound;
}
