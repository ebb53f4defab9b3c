/** Splits a text into the ids of at most `max` tokens. */
export type Tokenize = (text: string, max: number) => number[];

type WordPiece = {
  /** Token -> id; a piece within a word begins with `##`. */
  ids: ReadonlyMap<string, number>;
  /** Stands for a word that has no pieces. */
  unknown: number;
};

const CONTINUED = '##';
/** A longer word is unknown. */
const WORD_CHARS_MAX = 100;
/** Words whose pieces are remembered. */
const KNOWN_WORDS_MAX = 20_000;

/** NUL, the replacement character and invisible controls; tab and line breaks are spaces. */
const DROPPED = /[\0\uFFFD]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/gu;
const MARKS = /\p{Mn}/gu;
const CAPITALS = /\p{Changes_When_Lowercased}/gu;

const IDEOGRAPHS = String.raw`\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B81F}\u{2B920}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}`;
const SIGNS = String.raw`!-\/:-@\[-\x60\{-~\p{P}`;
const WORD = new RegExp(String.raw`[${IDEOGRAPHS}${SIGNS}]|[^${IDEOGRAPHS}${SIGNS}\p{White_Space}]+`, 'gu');

const ASCII = /^[\t\n\r -~]*$/;
const ASCII_WORD = /[a-z0-9]+|[!-/:-@[-`{-~]/g;

/** WordPiece as in BERT: of each word the longest piece in the vocabulary, then the longest of the rest, and so on. */
export function createWordPiece({ ids, unknown }: WordPiece): Tokenize {
  const starts = new Map<string, number>();
  const endings = new Map<string, number>();
  let longest = 1;
  for (const [token, id] of ids) {
    const isEnding = token.startsWith(CONTINUED) && token.length > CONTINUED.length;
    const piece = isEnding ? token.slice(CONTINUED.length) : token;
    (isEnding ? endings : starts).set(piece, id);
    longest = Math.max(longest, piece.length);
  }
  // A `##` that stands in a text is a word of its own.
  const known = new Map<string, readonly number[]>();
  return (text, max) => {
    const out: number[] = [];
    for (const word of bertWords(text)) {
      if (out.length >= max) break;
      const whole = starts.get(word);
      if (whole !== undefined) out.push(whole);
      else for (const id of piecesOf(word)) out.push(id);
    }
    return out.length > max ? out.slice(0, max) : out;
  };

  function piecesOf(word: string): readonly number[] {
    const before = known.get(word);
    if (before !== undefined) return before;
    if (known.size >= KNOWN_WORDS_MAX) known.clear();
    const pieces = split(word);
    known.set(word, pieces);
    return pieces;
  }

  function split(word: string): readonly number[] {
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
  }
}

/**
 * The words of a text as the uncased BERT tokenizer splits it: lower case, without accents, each sign and each ideograph a word.
 * Signs newer than Unicode 8 may be split otherwise.
 */
export function bertWords(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  const plain = text.replace(DROPPED, '').normalize('NFD').replace(MARKS, '');
  // Letter by letter, as the tokenizer does it: a sigma that ends a word is like any other.
  return plain.replace(CAPITALS, (letter) => letter.toLowerCase()).match(WORD) ?? [];
}
