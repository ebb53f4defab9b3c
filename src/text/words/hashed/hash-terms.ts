import { resolveStemLanguage } from '../stems.ts';
import { normalizeText, parsePieceTerms } from '../words.ts';

const [CAPITAL_A, CAPITAL_Z, TO_LOWER] = [65, 90, 32];
const SLOTS_PER_PIECE = 2;

/**
 * Bits for the roles of a character in a piece (PIECE in words.ts): start, part, letter or digit, joint, leading sign. KNOWN marks
 * a cached class, HALF a character of two UTF-16 units.
 */
const [START, PART, ALPHANUMERIC, KNOWN, HALF, JOINT, SIGN] = [1, 2, 4, 8, 16, 32, 64];

const CLASSES: readonly [RegExp, number][] = [
  [/[\p{L}\p{N}_]/u, START],
  [/[\p{L}\p{N}\p{M}_]/u, PART],
  [/[\p{L}\p{N}]/u, ALPHANUMERIC],
  [/[-.'’]/, JOINT],
  [/[-$@]/, SIGN],
];

/** Class of each UTF-16 code unit; 0: not computed yet. */
const classes = new Uint8Array(1 << 16);

/** Classes of characters beyond the first plane, which take two units. */
const wideClasses = new Map<number, number>();

const WIDE_MAX = 10_000;

const UNIT_MAX = 0xffff;

const toCode = (sign: string): number => sign.charCodeAt(0);

const [PLUS, HASH, COLON] = [toCode('+'), toCode('#'), toCode(':')];

const SIGNS_MAX = 2;

const isHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;

/** Terms in text order. The buffers are reused for the next text: only the first `count` entries are valid. */
export type HashedTerms = {
  count: number;
  /** Computed by `hashTerm`. */
  hashes: Uint32Array;
  places: Uint32Array;
  /** 1: a single character of a pair of Han, which lets a query of one character find the page; not a term of the text. */
  extra: Uint8Array;
};

export const createHashedTerms = (): HashedTerms => ({
  count: 0,
  hashes: new Uint32Array(1_024),
  places: new Uint32Array(1_024),
  extra: new Uint8Array(1_024),
});

/** Maximum pieces cached per language, and their characters and terms. */
const PIECES_MAX = 80_000;
const CHARS_MAX = 1_000_000;
const TERMS_MAX = 200_000;
/** Longer pieces rarely recur and are not cached. */
const PIECE_CHARS_MAX = 40;
const LANGUAGES_MAX = 3;
const HAN_PAIR = /^\p{Script=Han}{2}$/u;

/** The cached terms of the pieces of one language: piece number n has the terms from `terms[n]` up to `terms[n + 1]`. */
type KnownPieces = {
  /** Returns the number of a piece of a text; reads and caches a new one. */
  numberAt(text: string, start: number, end: number): number;
  terms: Int32Array;
  hashes: Uint32Array;
  /** Offset of each term from the place of its piece, times two; odd: an extra. */
  steps: Uint16Array;
  /** Number of places that each piece takes. */
  places: Uint16Array;
};

const languages = new Map<string, KnownPieces>();

/**
 * Writes the hashes of a text's terms, as `parseTerms` reads them, into `into`. Several times as fast, because the terms of each
 * piece are cached. The result depends on the arguments only.
 */
export function hashTerms(text: string, language: string | null, into: HashedTerms): void {
  const stems = resolveStemLanguage(language);
  const { terms, hashes, steps, places, numberAt } = ensureKnownPieces(stems);
  const even = normalizeText(text);
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
  const { terms, places } = parseTermsWithCharacters(piece, stems);
  makeRoom(into, terms.length);
  for (const { text, step, extra } of terms) {
    into.hashes[into.count] = hashTerm(text);
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

function parseTermsWithCharacters(piece: string, stems: string): PieceTerms {
  const { terms, places } = parsePieceTerms(piece, stems);
  return {
    places,
    terms: terms.flatMap(({ text, place: step }) => [
      { text, step, extra: 0 },
      ...(HAN_PAIR.test(text) ? [...text].map((character) => ({ text: character, step, extra: 1 })) : []),
    ]),
  };
}

function ensureKnownPieces(stems: string): KnownPieces {
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
    const read = parseTermsWithCharacters(text.slice(start, end), stems);
    let piece = numbers.add(text, start, end);
    if (piece === -1 || (terms[piece] as number) + read.terms.length > TERMS_MAX) {
      numbers.clear();
      piece = numbers.add(text, start, end);
    }
    let term = terms[piece] as number;
    for (const { text: said, step, extra } of read.terms) {
      hashes[term] = hashTerm(said);
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

/**
 * Calls `visit` with the bounds of each piece of a normalized text: the matches of the pattern PIECE, found several times as fast.
 */
function scanPieces(text: string, visit: (start: number, end: number) => void): void {
  let last = 0;
  for (let at = 0; at < text.length; ) {
    const kind = classifyAt(text, at);
    if ((kind & START) === 0) {
      at += 1;
      continue;
    }
    let start = at;
    while (start > last && at - start < SIGNS_MAX && (classifyAt(text, start - 1) & SIGN) !== 0) start -= 1;
    last = findPieceEnd(text, at);
    visit(start, last);
    at = last;
  }
}

/** Returns the end of the piece whose first letter or digit is at `at`. */
function findPieceEnd(text: string, at: number): number {
  let end = findRunEnd(text, at);
  for (;;) {
    const joint = measureJoint(text, end);
    if (joint === 0 || (classifyAt(text, end + joint) & START) === 0) return end + measureEnding(text, end);
    end = findRunEnd(text, end + joint);
  }
}

/** Returns the length of a joint between the run that ends here and another one, or 0. */
function measureJoint(text: string, at: number): number {
  if ((classifyAt(text, at) & JOINT) !== 0) return 1;
  return text.charCodeAt(at) === COLON && text.charCodeAt(at + 1) === COLON ? 2 : 0;
}

function findRunEnd(text: string, start: number): number {
  let at = start;
  for (;;) {
    let kind = classes[text.charCodeAt(at)] ?? 0;
    if (kind === 0 || kind === HALF) kind = classifyAt(text, at);
    if ((kind & PART) === 0) return at;
    at += (kind & HALF) === 0 ? 1 : 2;
  }
}

/** Returns the length of `++` or `#` after a piece, or 0. */
function measureEnding(text: string, at: number): number {
  const sign = text.charCodeAt(at);
  if (sign === PLUS) return text.charCodeAt(at + 1) === PLUS ? 2 : 0;
  return sign === HASH && (classifyAt(text, at + 1) & ALPHANUMERIC) === 0 ? 1 : 0;
}

/** Returns the class of a character, with HALF when it takes two units. */
function classifyAt(text: string, at: number): number {
  if (at >= text.length) return KNOWN;
  const unit = text.charCodeAt(at);
  const known = classes[unit] as number;
  if (known !== 0 && known !== HALF) return known;
  const point = text.codePointAt(at) ?? 0;
  if (point > UNIT_MAX) {
    classes[unit] = HALF;
    return classifyWide(point);
  }
  const kind = learnClass(point);
  // A lone surrogate may be followed by its other half elsewhere, so its class is not cached.
  if (known !== HALF && !isHalf(unit)) classes[unit] = kind;
  return kind;
}

function classifyWide(point: number): number {
  const known = wideClasses.get(point);
  if (known !== undefined) return known;
  if (wideClasses.size >= WIDE_MAX) wideClasses.clear();
  const kind = learnClass(point) | HALF;
  wideClasses.set(point, kind);
  return kind;
}

function learnClass(point: number): number {
  const character = String.fromCodePoint(point);
  return CLASSES.reduce((kind, [pattern, bit]) => (pattern.test(character) ? kind | bit : kind), KNOWN);
}

/** Hashes a term to 32 bits: FNV-1a over UTF-16 code units with the MurmurHash3 finalizer. */
export function hashTerm(term: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < term.length; index += 1) {
    hash = Math.imul(hash ^ term.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

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
