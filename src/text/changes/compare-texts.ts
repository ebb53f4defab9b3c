/**
 * Compares two versions of a page block by block: what was added, removed, changed (with its words marked) and moved, and which of it is
 * noise. Offsets are into the Markdown of each version, so that every change can be quoted and checked. It promises to name each
 * difference that a reader sees; it does not judge which one matters to whom.
 */
import { diffArrays } from 'diff';
import { alignBlocks } from './align-blocks.ts';
import { type ComparableBlock, cutComparableBlocks } from './comparable-blocks.ts';
import { judgeNoise, type NoiseReason } from './noise.ts';
import { findRecurringPlaces, listNeighbours } from './recurring-places.ts';

/** A block as it stands in a version: `markdown.slice(start, end)`. */
type TextPassage = { quote: string; start: number; end: number };

/** A run of words of a changed block. Those of the earlier version are `same` and `removed`, in order. */
export type WordRun = { kind: 'same' | 'removed' | 'added'; text: string };

export type TextChange = {
  kind: 'added' | 'removed' | 'changed' | 'moved';
  block: ComparableBlock['kind'];
  /** Headings above the block in the later version; those of the earlier one for what was removed. */
  headingPath: readonly string[];
  /** Null for what was added. */
  before: TextPassage | null;
  /** Null for what was removed. */
  after: TextPassage | null;
  /** Null unless the block was changed. */
  words: WordRun[] | null;
  /** Null where the change is none. */
  noise: NoiseReason | null;
};

export type TextComparison = {
  /** All differences, noise included, in the order of the later version. */
  changes: TextChange[];
  /** Whether there is a change that is not noise. */
  isChanged: boolean;
  /** Share of the longer version's characters that lie in changes that are not noise, from 0 to 1. */
  changedShare: number;
};

/** A number with its point or comma is one word. */
const WORD =
  /\p{N}+(?:[.,:]\p{N}+)*|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu;
/** Blocks that differ in more words than this are shown whole. */
const WORD_EDITS_MAX = 1_000;

/**
 * Compares two versions of a page's Markdown. `earlier`: the texts of the visits before `before`, the oldest first, one for each visit;
 * what changed at every one of them is noise. Without them only the rules decide.
 */
export function compareTexts(before: string, after: string, earlier: readonly string[] = []): TextComparison {
  const [blocks, blocksAfter] = [cutComparableBlocks(before), cutComparableBlocks(after)];
  const alignment = alignBlocks(blocks, blocksAfter);
  const recurring = findRecurringPlaces([...earlier, before]);
  const toChange = (kind: TextChange['kind'], one: number | null, other: number | null): PlacedChange => {
    const [from, to] = [one === null ? null : blocks[one], other === null ? null : blocksAfter[other]];
    const change = describeChange(kind, {
      before: from == null ? null : Object.assign({ text: before.slice(from.start, from.end) }, from),
      after: to == null ? null : Object.assign({ text: after.slice(to.start, to.end) }, to),
    });
    const isRecurring =
      change.noise === null &&
      [
        ...(one === null ? [] : listNeighbours(blocks, one)),
        ...(other === null ? [] : listNeighbours(blocksAfter, other)),
      ].some((place) => recurring.has(place));
    return {
      change: isRecurring ? Object.assign(change, { noise: 'recurring' as const }) : change,
      place: other ?? placeRemoved(one ?? 0),
    };
  };
  const pairs = [...alignment.same, ...alignment.changed].sort(([one], [other]) => one - other);
  /** Returns the place in the later version behind which a removed block stood. */
  const placeRemoved = (one: number): number => (pairs.findLast(([place]) => place < one)?.[1] ?? -1) + 0.5;
  const changes = [
    ...alignment.changed.map(([one, other]) => toChange('changed', one, other)),
    ...alignment.moved.map(([one, other]) => toChange('moved', one, other)),
    ...alignment.removed.map((one) => toChange('removed', one, null)),
    ...alignment.added.map((other) => toChange('added', null, other)),
  ]
    .sort((one, other) => one.place - other.place)
    .map(({ change }) => change);
  return summarizeChanges(changes, Math.max(before.length, after.length));
}

type PlacedChange = { change: TextChange; place: number };
type TextBlock = ComparableBlock & { text: string };

function summarizeChanges(changes: TextChange[], chars: number): TextComparison {
  const meant = changes.filter(({ noise }) => noise === null);
  const measure = (passage: TextPassage | null): number => passage?.quote.length ?? 0;
  const changedChars = meant.reduce(
    (sum, { before, after }) => sum + Math.max(measure(before), measure(after)),
    0,
  );
  return {
    changes,
    isChanged: meant.length > 0,
    changedShare: chars === 0 ? 0 : Math.min(1, changedChars / chars),
  };
}

function describeChange(
  kind: TextChange['kind'],
  { before, after }: { before: TextBlock | null; after: TextBlock | null },
): TextChange {
  const shown = after ?? before;
  return {
    kind,
    block: shown?.kind ?? 'text',
    headingPath: shown?.headings ?? [],
    before: before && toTextPassage(before),
    after: after && toTextPassage(after),
    words:
      kind === 'changed' && before !== null && after !== null ? markWords(before.text, after.text) : null,
    noise: judgeNoise({ before, after, isMove: kind === 'moved' }),
  };
}

const toTextPassage = ({ text, start, end }: TextBlock): TextPassage => ({ quote: text, start, end });

/** Marks the words in which two texts differ. */
function markWords(before: string, after: string): WordRun[] {
  const parts = diffArrays(before.match(WORD) ?? [], after.match(WORD) ?? [], {
    maxEditLength: WORD_EDITS_MAX,
  });
  if (parts === undefined)
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ];
  return parts.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value.join(''),
  }));
}
