import { stemLanguage } from '../stems.ts';
import { evenText, termsOfPiece } from '../words.ts';
import { hashOf } from './hash-of.ts';
import { createPieceNumbers } from './piece-numbers.ts';
import { scanPieces } from './pieces.ts';

/** Terms in the order of a text. Used again for the next text: only the first `count` entries count. */
export type HashedTerms = {
  count: number;
  /** By `hashOf`. */
  hashes: Uint32Array;
  places: Uint32Array;
  /** 1: a single character of a pair of Han, by which a query of one character finds the page; no term of the text. */
  extra: Uint8Array;
};

export const noTerms = (): HashedTerms => ({
  count: 0,
  hashes: new Uint32Array(1_024),
  places: new Uint32Array(1_024),
  extra: new Uint8Array(1_024),
});

/** Pieces that are remembered of a language, and their characters and terms. */
const PIECES_MAX = 80_000;
const CHARS_MAX = 1_000_000;
const TERMS_MAX = 200_000;
/** A longer piece seldom comes again. */
const PIECE_CHARS_MAX = 40;
const LANGUAGES_MAX = 3;
const HAN_PAIR = /^\p{Script=Han}{2}$/u;

/** What the pieces of one language are as terms: piece number n has those between `terms[n]` and `terms[n + 1]`. */
type KnownPieces = {
  /** The number of a piece of a text; one that is new is read and remembered. */
  numberAt(text: string, start: number, end: number): number;
  terms: Int32Array;
  hashes: Uint32Array;
  /** Of each term from the place of its piece, times two; odd: an extra. */
  steps: Uint16Array;
  /** How many places each piece takes. */
  places: Uint16Array;
};

const languages = new Map<string, KnownPieces>();

/** Pure: the terms of a text as `termsOf` reads them, by their hashes, several times as fast: what a piece is as terms is remembered. */
export function hashTerms(text: string, language: string | null, into: HashedTerms): void {
  const stems = stemLanguage(language);
  const { terms, hashes, steps, places, numberAt } = knownPieces(stems);
  const even = evenText(text);
  into.count = 0;
  let place = 0;
  scanPieces(even, (start, end) => {
    if (end - start > PIECE_CHARS_MAX) {
      place = addUnknown(even.slice(start, end), { stems, place, into });
      return;
    }
    const piece = numberAt(even, start, end);
    const first = terms[piece] as number;
    const last = terms[piece + 1] as number;
    makeRoom(into, last - first);
    let at = into.count;
    for (let term = first; term < last; term += 1) {
      const step = steps[term] as number;
      into.hashes[at] = hashes[term] as number;
      into.places[at] = place + (step >>> 1);
      into.extra[at] = step & 1;
      at += 1;
    }
    into.count = at;
    place += places[piece] as number;
  });
}

function addUnknown(
  piece: string,
  { stems, place, into }: { stems: string; place: number; into: HashedTerms },
): number {
  const { terms, places } = termsWithCharacters(piece, stems);
  makeRoom(into, terms.length);
  for (const { text, step, extra } of terms) {
    into.hashes[into.count] = hashOf(text);
    into.places[into.count] = place + step;
    into.extra[into.count] = extra;
    into.count += 1;
  }
  return place + places;
}

function makeRoom(into: HashedTerms, terms: number): void {
  const needed = into.count + terms;
  if (needed <= into.hashes.length) return;
  const length = Math.max(needed, into.hashes.length * 2);
  const larger = {
    hashes: new Uint32Array(length),
    places: new Uint32Array(length),
    extra: new Uint8Array(length),
  };
  larger.hashes.set(into.hashes);
  larger.places.set(into.places);
  larger.extra.set(into.extra);
  Object.assign(into, larger);
}

type PieceTerms = { terms: { text: string; step: number; extra: number }[]; places: number };

function termsWithCharacters(piece: string, stems: string): PieceTerms {
  const { terms, places } = termsOfPiece(piece, stems);
  return {
    places,
    terms: terms.flatMap(({ text, place: step }) => [
      { text, step, extra: 0 },
      ...(HAN_PAIR.test(text) ? [...text].map((character) => ({ text: character, step, extra: 1 })) : []),
    ]),
  };
}

function knownPieces(stems: string): KnownPieces {
  const known = languages.get(stems);
  if (known !== undefined) return known;
  if (languages.size >= LANGUAGES_MAX) languages.clear();
  const fresh = createKnownPieces(stems);
  languages.set(stems, fresh);
  return fresh;
}

function createKnownPieces(stems: string): KnownPieces {
  const numbers = createPieceNumbers({ pieces: PIECES_MAX, chars: CHARS_MAX, ignoresCase: false });
  const terms = new Int32Array(PIECES_MAX + 1);
  const hashes = new Uint32Array(TERMS_MAX);
  const steps = new Uint16Array(TERMS_MAX);
  const places = new Uint16Array(PIECES_MAX);
  const learn = (text: string, start: number, end: number): number => {
    const read = termsWithCharacters(text.slice(start, end), stems);
    let piece = numbers.add(text, start, end);
    if (piece === -1 || (terms[piece] as number) + read.terms.length > TERMS_MAX) {
      numbers.clear();
      piece = numbers.add(text, start, end);
    }
    let term = terms[piece] as number;
    for (const { text: said, step, extra } of read.terms) {
      hashes[term] = hashOf(said);
      steps[term++] = step * 2 + extra;
    }
    terms[piece + 1] = term;
    places[piece] = read.places;
    return piece;
  };
  return {
    terms,
    hashes,
    steps,
    places,
    numberAt(text, start, end) {
      const found = numbers.find(text, start, end);
      return found === -1 ? learn(text, start, end) : found;
    },
  };
}
