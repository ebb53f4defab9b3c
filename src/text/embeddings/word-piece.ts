import { limitMarks } from '../words/compatible.ts';
import { createPieceNumbers } from '../words/hashed/hash-terms.ts';

/** Splits a text into the ids of at most `max` tokens. */
export type Tokenize = (text: string, max: number) => number[];

type WordPiece = {
  /** Token -> id; a piece inside a word begins with `##`. */
  ids: ReadonlyMap<string, number>;
  /** The id of a word that has no pieces. */
  unknown: number;
};

const CONTINUED = '##';
/** Longer words are unknown. */
const WORD_CHARS_MAX = 100;
/** Maximum cached words and their characters; longer words rarely recur and are not cached. */
const KNOWN_WORDS_MAX = 50_000;
const KNOWN_CHARS_MAX = 600_000;
const KNOWN_WORD_CHARS_MAX = 32;

/** Characters to drop: NUL, the replacement character and invisible controls; tab and line breaks are spaces. */
const DROPPED = /[\0\uFFFD]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/gu;
const MARKS = /\p{Mn}/gu;
const CAPITALS = /\p{Changes_When_Lowercased}/gu;

const IDEOGRAPHS = String.raw`\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}`;
const SIGNS = String.raw`!-\/:-@\[-\x60\{-~\p{P}`;
const WORD = new RegExp(String.raw`[${IDEOGRAPHS}${SIGNS}]|[^${IDEOGRAPHS}${SIGNS}\p{White_Space}]+`, 'gu');

const ASCII = /^[\t\n\r -~]*$/;
const ASCII_WORD = /[a-z0-9]+|[!-/:-@[-`{-~]/g;

type SplitWord = (word: string) => readonly number[];

/**
 * Creates a WordPiece tokenizer as in BERT: it takes the longest piece of each word in the vocabulary, then the longest of the
 * rest, and so on.
 */
export function createWordPiece(vocabulary: WordPiece): Tokenize {
  const split = createSplit(vocabulary);
  const ofAscii = rememberWords(split);
  const ofOthers = rememberChunks((chunk) => splitBertWords(chunk).flatMap(split));
  return (text, max) => {
    const out: number[] = [];
    const add = (ids: readonly number[]): void => {
      for (const id of ids) out.push(id);
    };
    for (let at = 0; at < text.length && out.length < max; ) {
      if (classifyAt(text, at) === SPACE) {
        at += 1;
        continue;
      }
      const { end, isAscii } = findChunk(text, at);
      if (!isAscii) add(ofOthers(text.slice(at, end)));
      for (let word = at; isAscii && word < end; ) {
        const wordEnd = findWordEnd(text, word);
        add(ofAscii(text, word, wordEnd));
        word = wordEnd;
      }
      at = end;
    }
    return out.length > max ? out.slice(0, max) : out;
  };
}

/** Caches the pieces of ASCII words, ignoring case. */
function rememberWords(split: SplitWord): (text: string, start: number, end: number) => readonly number[] {
  const known = createPieceNumbers({ pieces: KNOWN_WORDS_MAX, chars: KNOWN_CHARS_MAX, ignoresCase: true });
  let pieces: (readonly number[])[] = [];
  return (text, start, end) => {
    const isLong = end - start > KNOWN_WORD_CHARS_MAX;
    const found = isLong ? -1 : known.find(text, start, end);
    if (found !== -1) return pieces[found] ?? [];
    const made = split(text.slice(start, end).toLowerCase());
    if (isLong) return made;
    let number = known.add(text, start, end);
    if (number === -1) {
      known.clear();
      pieces = [];
      number = known.add(text, start, end);
    }
    pieces[number] = made;
    return made;
  };
}

/** Caches the pieces of chunks between spaces that are not all ASCII. */
function rememberChunks(split: SplitWord): SplitWord {
  const known = new Map<string, readonly number[]>();
  return (chunk) => {
    const before = known.get(chunk);
    if (before !== undefined) return before;
    const made = split(chunk);
    if (chunk.length > KNOWN_WORD_CHARS_MAX) return made;
    if (known.size >= KNOWN_WORDS_MAX) known.clear();
    known.set(chunk, made);
    return made;
  };
}

function createSplit({ ids, unknown }: WordPiece): SplitWord {
  const starts = new Map<string, number>();
  // A `##` in a text is a word of its own.
  const endings = new Map<string, number>();
  let longest = 1;
  for (const [token, id] of ids) {
    const isEnding = token.startsWith(CONTINUED) && token.length > CONTINUED.length;
    const piece = isEnding ? token.slice(CONTINUED.length) : token;
    (isEnding ? endings : starts).set(piece, id);
    longest = Math.max(longest, piece.length);
  }
  return (word) => {
    const whole = starts.get(word);
    if (whole !== undefined) return [whole];
    if (word.length > WORD_CHARS_MAX && [...word].length > WORD_CHARS_MAX) return [unknown];
    const out: number[] = [];
    for (let at = 0; at < word.length; ) {
      const pieces = at === 0 ? starts : endings;
      let end = Math.min(word.length, at + longest);
      let id = pieces.get(word.slice(at, end));
      while (id === undefined && end > at + 1) {
        end -= 1;
        id = pieces.get(word.slice(at, end));
      }
      if (id === undefined) return [unknown];
      out.push(id);
      at = end;
    }
    return out;
  };
}

/** Kinds of ASCII characters: a space, a letter or a digit, or a sign, which is a word of its own; 0: none of these. */
const [SPACE, LETTER, SIGN] = [1, 2, 3];
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[\t\n\r ]/.test(character)) return SPACE;
  if (/[a-z0-9]/i.test(character)) return LETTER;
  return /[!-~]/.test(character) ? SIGN : 0;
});

const classifyAt = (text: string, at: number): number => KINDS[text.charCodeAt(at)] ?? 0;

/** Returns the chunk from an offset to the next space. No rule that splits words spans a space. */
function findChunk(text: string, start: number): { end: number; isAscii: boolean } {
  let isAscii = true;
  for (let end = start; ; end += 1) {
    const kind = end < text.length ? classifyAt(text, end) : SPACE;
    if (kind === SPACE) return { end, isAscii };
    isAscii &&= kind !== 0;
  }
}

/** Returns the end of a word in a chunk of ASCII. */
function findWordEnd(text: string, start: number): number {
  if (classifyAt(text, start) === SIGN) return start + 1;
  let at = start;
  while (at < text.length && classifyAt(text, at) === LETTER) at += 1;
  return at;
}

/**
 * Splits a text into words like the uncased BERT tokenizer: lower case, without accents, each sign and each ideograph a word. Signs
 * newer than Unicode 8 may be split differently.
 */
export function splitBertWords(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const plain = limitMarks(text.replace(DROPPED, '')).normalize('NFD').replace(MARKS, '');
  // Letter by letter, as in the original tokenizer: a final sigma is not special.
  return plain.replace(CAPITALS, (letter) => letter.toLowerCase()).match(WORD) ?? [];
}
