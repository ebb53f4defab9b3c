import { stemLanguage } from '../stems.ts';
import { evenText, termsOfPiece } from '../words.ts';
import { hashOf } from './hash-of.ts';
import { createPieceNumbers, type PieceNumbers } from './piece-numbers.ts';
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
  ...{ hashes: new Uint32Array(1_024), places: new Uint32Array(1_024), extra: new Uint8Array(1_024) },
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
  numbers: PieceNumbers;
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
  const known = knownPieces(stems);
  const even = evenText(text);
  into.count = 0;
  let place = 0;
  scanPieces(even, (start, end) => {
    if (end - start > PIECE_CHARS_MAX) {
      place = addUnknown(even.slice(start, end), { stems, place, into });
      return;
    }
    const piece = numberOf(known, even, { start, end, stems });
    const last = known.terms[piece + 1] as number;
    for (let term = known.terms[piece] as number; term < last; term += 1) {
      const step = known.steps[term] as number;
      add(into, known.hashes[term] as number, { place: place + (step >>> 1), extra: step & 1 });
    }
    place += known.places[piece] as number;
  });
}

function addUnknown(
  piece: string,
  { stems, place, into }: { stems: string; place: number; into: HashedTerms },
): number {
  const { terms, places } = termsWithCharacters(piece, stems);
  for (const { text, step, extra } of terms) add(into, hashOf(text), { place: place + step, extra });
  return place + places;
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

function add(into: HashedTerms, hash: number, { place, extra }: { place: number; extra: number }): void {
  const at = into.count;
  if (at === into.hashes.length) grow(into);
  into.hashes[at] = hash;
  into.places[at] = place;
  into.extra[at] = extra;
  into.count = at + 1;
}

function grow(into: HashedTerms): void {
  const length = into.hashes.length * 2;
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

function knownPieces(stems: string): KnownPieces {
  const known = languages.get(stems);
  if (known !== undefined) return known;
  if (languages.size >= LANGUAGES_MAX) languages.clear();
  const fresh: KnownPieces = {
    numbers: createPieceNumbers({ pieces: PIECES_MAX, chars: CHARS_MAX, ignoresCase: false }),
    terms: new Int32Array(PIECES_MAX + 1),
    hashes: new Uint32Array(TERMS_MAX),
    steps: new Uint16Array(TERMS_MAX),
    places: new Uint16Array(PIECES_MAX),
  };
  languages.set(stems, fresh);
  return fresh;
}

type Piece = { start: number; end: number; stems: string };

/** The number of a piece; one that is new is read and remembered. */
function numberOf(known: KnownPieces, text: string, { start, end, stems }: Piece): number {
  const found = known.numbers.find(text, start, end);
  if (found !== -1) return found;
  const read = termsWithCharacters(text.slice(start, end), stems);
  let piece = known.numbers.add(text, start, end);
  if (piece === -1 || (known.terms[piece] as number) + read.terms.length > TERMS_MAX) {
    known.numbers.clear();
    piece = known.numbers.add(text, start, end);
  }
  let term = known.terms[piece] as number;
  for (const { text: said, step, extra } of read.terms) {
    known.hashes[term] = hashOf(said);
    known.steps[term++] = step * 2 + extra;
  }
  known.terms[piece + 1] = term;
  known.places[piece] = read.places;
  return piece;
}
