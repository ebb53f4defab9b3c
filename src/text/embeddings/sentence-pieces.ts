import type { Tokenize } from './word-piece.ts';

/** Marks a space, including one before the first word. */
const SPACE = '▁';
/** Matches a word with the spaces before it. Vocabularies of this kind have no token that spans into the next word. */
const UNIT = /▁+[^▁]{0,64}|[^▁]{1,64}/gu;
/** Maximum cached words. */
const KNOWN_WORDS_MAX = 20_000;

/** Splits one word into token ids. */
type SplitWord = (word: string) => number[];

/** Creates a tokenizer of either kind: marks spaces, then splits each word separately. Words of more than 64 characters are cut. */
export function createSentencePieces(split: SplitWord): Tokenize {
  const known = new Map<string, readonly number[]>();
  const splitCached = (word: string): readonly number[] => {
    const before = known.get(word);
    if (before !== undefined) return before;
    if (known.size >= KNOWN_WORDS_MAX) known.clear();
    const pieces = split(word);
    known.set(word, pieces);
    return pieces;
  };
  return (text, max) => {
    if (text === '') return [];
    const out: number[] = [];
    for (const [word] of `${SPACE}${text.replaceAll(' ', SPACE)}`.matchAll(UNIT)) {
      if (out.length >= max) break;
      for (const id of splitCached(word)) out.push(id);
    }
    return out.length > max ? out.slice(0, max) : out;
  };
}

type Bpe = {
  ids: ReadonlyMap<string, number>;
  merges: readonly (readonly [string, string])[];
  unknown: number;
};

/**
 * Byte-pair encoding: merges the adjacent pair that was learned first, until none is left. A letter without a token is encoded as
 * bytes.
 */
export function createBpeSplitter({ ids, merges, unknown }: Bpe): SplitWord {
  const ranks = new Map(merges.map(([left, right], rank) => [`${left} ${right}`, rank]));
  return (word) => {
    const pieces = [...word];
    for (;;) {
      let best = Number.POSITIVE_INFINITY;
      let place = -1;
      for (let at = 0; at + 1 < pieces.length; at += 1) {
        const rank = ranks.get(`${pieces[at]} ${pieces[at + 1]}`) ?? Number.POSITIVE_INFINITY;
        if (rank < best) [best, place] = [rank, at];
      }
      if (place === -1) break;
      pieces.splice(place, 2, `${pieces[place]}${pieces[place + 1]}`);
    }
    return pieces.flatMap((piece) => findIds(piece, ids, unknown));
  };
}

function findIds(piece: string, ids: ReadonlyMap<string, number>, unknown: number): number[] {
  const id = ids.get(piece);
  if (id !== undefined) return [id];
  const bytes = [...new TextEncoder().encode(piece)].map((byte) =>
    ids.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  );
  return bytes.every((byte) => byte !== undefined) ? bytes : [unknown];
}

type Unigram = { scores: ReadonlyMap<string, { id: number; score: number }>; unknown: number };

/** Score of a letter without a token, below that of the least likely token. */
const UNKNOWN_PENALTY = 10;

/** Unigram: finds the most likely split into tokens (Viterbi). Adjacent unknown letters become one token. */
export function createUnigramSplitter({ scores, unknown }: Unigram): SplitWord {
  let longest = 1;
  let least = 0;
  for (const [token, { score }] of scores) {
    longest = Math.max(longest, token.length);
    least = Math.min(least, score);
  }
  return (word) => {
    const best = [{ score: 0, from: 0, id: unknown }];
    for (let end = 1; end <= word.length; end += 1) {
      let found: { score: number; from: number; id: number } | undefined;
      for (let from = Math.max(0, end - longest); from < end; from += 1) {
        const before = best[from];
        const token = scores.get(word.slice(from, end));
        if (before === undefined || (token === undefined && end - from > measureLetter(word, from))) continue;
        const score = before.score + (token?.score ?? least - UNKNOWN_PENALTY);
        if (found === undefined || score > found.score) found = { score, from, id: token?.id ?? unknown };
      }
      if (found !== undefined) best[end] = found;
    }
    return walkBack(best, word.length, unknown);
  };
}

/** Returns 2 for a letter of two UTF-16 units, else 1. */
const measureLetter = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

function walkBack(
  best: readonly ({ from: number; id: number } | undefined)[],
  length: number,
  unknown: number,
): number[] {
  const out: number[] = [];
  for (let at = length; at > 0; ) {
    const step = best[at] ?? { from: at - 1, id: unknown };
    if (!(step.id === unknown && out.at(-1) === unknown)) out.push(step.id);
    at = step.from;
  }
  return out.reverse();
}
