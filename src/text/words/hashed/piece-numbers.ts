/**
 * Numbers pieces of texts from 0, looking them up by their characters without creating a string. Holds a bounded number of pieces;
 * the caller clears it when it is full.
 */
type PieceNumbers = {
  /** Returns -1 for an unknown piece. */
  find(text: string, start: number, end: number): number;
  /** Adds an unknown piece; returns -1 when it is full, and `clear` must come first. */
  add(text: string, start: number, end: number): number;
  clear(): void;
};

type PieceNumbersOptions = { pieces: number; chars: number; ignoresCase: boolean };

const [CAPITAL_A, CAPITAL_Z, TO_LOWER] = [65, 90, 32];
const SLOTS_PER_PIECE = 2;

/** `ignoresCase` covers ASCII letters only. */
export function createPieceNumbers({ pieces, chars, ignoresCase }: PieceNumbersOptions): PieceNumbers {
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(pieces * SLOTS_PER_PIECE)));
  const mask = slots.length - 1;
  const ends = new Int32Array(pieces + 1);
  const held = new Uint16Array(chars);
  const first = ignoresCase ? CAPITAL_A : Number.POSITIVE_INFINITY;
  let count = 0;

  const readUnit = (text: string, at: number): number => {
    const unit = text.charCodeAt(at);
    return unit >= first && unit <= CAPITAL_Z ? unit + TO_LOWER : unit;
  };
  const isPiece = (piece: number, text: string, start: number, end: number): boolean => {
    let at = ends[piece] as number;
    if ((ends[piece + 1] as number) - at !== end - start) return false;
    for (let place = start; place < end; place += 1) if (held[at++] !== readUnit(text, place)) return false;
    return true;
  };
  /** Hashes the units with FNV-1a and probes for the piece or a free slot. */
  const findSlot = (text: string, start: number, end: number): number => {
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ readUnit(text, at), 0x01000193);
    let slot = (hash ^ (hash >>> 15)) & mask;
    while (slots[slot] !== 0 && !isPiece((slots[slot] as number) - 1, text, start, end))
      slot = (slot + 1) & mask;
    return slot;
  };
  return {
    find: (text, start, end) => (slots[findSlot(text, start, end)] as number) - 1,
    add(text, start, end) {
      let at = ends[count] as number;
      if (count === pieces || at + end - start > chars) return -1;
      slots[findSlot(text, start, end)] = count + 1;
      for (let place = start; place < end; place += 1) held[at++] = readUnit(text, place);
      count += 1;
      ends[count] = at;
      return count - 1;
    },
    clear() {
      slots.fill(0);
      count = 0;
    },
  };
}
