/**
 * Splits text into the terms that the whole project indexes, ranks and highlights by. The same text and language always give the
 * same terms, so pages and queries can be compared. It does not drop stop words and does not judge how informative a term is (see
 * `scoring/rarity.ts`).
 */
import { toNfkc } from './compatible.ts';
import { foldAccents, isUnspaced, splitScriptRuns } from './scripts.ts';
import { resolveStemLanguage, stemWord } from './stems.ts';

/**
 * A term of a text. `word`: a plain word or a gram of a script without spaces. `part`: a piece of an identifier (`path` of
 * `os.path.join`). `whole`: an identifier as written, in lower case. Each part has a place of its own; a whole shares the place of
 * its first part.
 */
export type Term = { text: string; place: number; kind: 'word' | 'part' | 'whole' };

/**
 * A run of letters and digits with the joints and signs that hold an identifier together: `os.path.join`, `std::move`, `e-mail`,
 * `--unit`, `C++`, `$libdir`.
 */
const PIECE =
  /[-$@]{0,2}[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*(?:(?:[.'’-]|::)[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*)*(?:\+\+|#(?![\p{L}\p{N}]))?/gu;
const PLAIN = /^[a-z]{1,64}$/;
const SIGN = /^[-$@]+(?=[\p{L}_])/u;
const ENDING = /(?:\+\+|#)$/;
const JOINT = /(?:[._-]|::)+/;
const CAMEL = /\p{Ll}\p{Lu}|[\p{Lu}\p{N}]\p{Lu}\p{Ll}/u;
const CAMEL_PARTS = /(?<!\p{Lu})\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu;
/** The commas of 1,000,000: a number is one word, however its digits are grouped. */
const GROUPING = /(?<=(?<![\d.,])\d{1,3}(?:,\d{3}){0,4}),(?=\d{3}(?!\d))/g;
/** Cheap test before GROUPING, which is much slower. */
const GROUPED = /,\d{3}/;
const NUMBERED = /^(\p{L}{3,})\p{N}+$/u;

const TERM_CHARS_MAX = 64;

/**
 * Returns the terms of a page or a query, in order: NFKC, lower case, accents folded, stemmed for `language` (BCP 47; null counts
 * as English), identifiers whole and in parts, scripts without spaces in grams.
 */
export function tokenizeWords(text: string, language: string | null): string[] {
  return parseTerms(text, language).map((term) => term.text);
}

/** Like `tokenizeWords`, with the place and the kind of each term. */
export function parseTerms(text: string, language: string | null): Term[] {
  const stems = resolveStemLanguage(language);
  const out: Term[] = [];
  let place = 0;
  for (const [piece] of normalizeText(text).matchAll(PIECE)) place = pushAny(out, piece, { place, stems });
  return out;
}

/** Normalizes a text for tokenizing: NFKC, and numbers without grouping commas. */
export function normalizeText(text: string): string {
  const even = toNfkc(text);
  return GROUPED.test(even) ? even.replace(GROUPING, '') : even;
}

/**
 * Returns the terms of one piece of a normalized text (a match of PIECE), the first at place 0, and the number of places it takes.
 * `stems`: see `resolveStemLanguage`.
 */
export function parsePieceTerms(piece: string, stems: string): { terms: Term[]; places: number } {
  const terms: Term[] = [];
  const places = pushAny(terms, piece, { place: 0, stems });
  return { terms, places };
}

function pushAny(out: Term[], piece: string, { place, stems }: TermPlace): number {
  if (!PLAIN.test(piece)) return pushPiece(out, piece, { place, stems });
  out.push({ text: stemWord(piece, stems), place, kind: 'word' });
  return place + 1;
}

type TermPlace = { place: number; stems: string };

function pushPiece(out: Term[], piece: string, { place, stems }: TermPlace): number {
  const sign = SIGN.exec(piece)?.[0] ?? '';
  const bare = sign === '' ? piece.replace(/^[-$@]+/, '') : piece.slice(sign.length);
  const ending = ENDING.exec(bare)?.[0] ?? '';
  const name = ending === '' ? bare : bare.slice(0, -ending.length);
  if (/['’]/.test(name)) return pushContracted(out, name, { place, stems });
  const segments = name.split(JOINT).filter((segment) => segment !== '');
  const isPlain = segments.length === 1 && segments[0] === name;
  let next = place;
  for (const segment of segments) {
    next = pushSegment(out, segment, { place: next, stems, kind: isPlain ? 'word' : 'part' });
  }
  if (!isPlain) pushWhole(out, normalizeWhole(name), place);
  if (sign !== '' || ending !== '') pushWhole(out, (sign + name + ending).toLowerCase(), place);
  return Math.max(next, place + 1);
}

/** Adds the halves of `don't`, `page's` or `l'homme` that are words of their own. */
function pushContracted(out: Term[], name: string, at: TermPlace): number {
  let { place } = at;
  for (const half of name.split(/['’]/)) {
    if (half.length > 1) place = pushPiece(out, half, { ...at, place });
  }
  return place;
}

/** Removes hyphens, which writers often leave out (`e-mail`, `utf-8`), unless the name has dots, underscores or colons. */
function normalizeWhole(name: string): string {
  return (/[._:]/.test(name) ? name : name.replaceAll('-', '')).toLowerCase();
}

function pushWhole(out: Term[], whole: string, place: number): void {
  out.push({ text: foldBounded(whole), place, kind: 'whole' });
}

/** Truncates before folding as well, because folding looks back over the accents of a letter. */
const foldBounded = (word: string): string =>
  foldAccents(word.slice(0, TERM_CHARS_MAX * 2)).slice(0, TERM_CHARS_MAX);

function pushSegment(out: Term[], segment: string, at: TermPlace & { kind: 'word' | 'part' }): number {
  const { place, stems, kind } = at;
  const lower = segment.toLowerCase();
  if (isUnspaced(lower)) return pushRuns(out, lower, at);
  const word = foldBounded(lower);
  const parts = splitCamelCase(segment);
  out.push({
    text: stemWord(word, stems),
    place,
    kind: parts.length > 0 && kind === 'word' ? 'whole' : kind,
  });
  let next = place + 1;
  for (const part of parts) {
    out.push({ text: stemWord(foldBounded(part.toLowerCase()), stems), place: next++, kind: 'part' });
  }
  const letters = NUMBERED.exec(word)?.[1];
  if (letters !== undefined) out.push({ text: stemWord(letters, stems), place, kind: 'part' });
  return next;
}

function pushRuns(
  out: Term[],
  word: string,
  { place, stems, kind }: TermPlace & { kind: 'word' | 'part' },
): number {
  let next = place;
  for (const { text, grams } of splitScriptRuns(word)) {
    if (grams === null) out.push({ text: stemWord(foldBounded(text), stems), place: next++, kind });
    else for (const gram of grams) out.push({ text: gram, place: next++, kind });
  }
  return next;
}

/**
 * `XMLParser` -> XML, Parser. A single capital before a word is a prefix with an unknown boundary (`PQexec`), so both are left out.
 */
function splitCamelCase(segment: string): string[] {
  if (!CAMEL.test(segment)) return [];
  const parts = segment.match(CAMEL_PARTS) ?? [];
  return parts.filter((part, index) => part.length > 1 && (parts[index - 1]?.length ?? 2) > 1);
}
