const WORDS_MAX = 60;
const measureShortest = (words: Words): number =>
  words === null ? 0 : words.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
const DIGITS = [...'0123456789'];

/** The code of all characters beyond ASCII. */
const OTHER = 128;

/** An automaton that finds words in one pass (Aho and Corasick, 1975); `found` has the bits of the words that end in a state. */
type Automaton = {
  /** The column of each character; 0 for those in no word. */
  letters: Uint8Array;
  columns: number;
  next: Uint16Array;
  found: Int32Array;
};

/**
 * Creates a test of many patterns that returns the bits of those that match a text. A pattern is tried only on texts that contain
 * one of the words it needs to match; the words of all patterns are found in one pass.
 */
export function createPatternSet(
  patterns: readonly (readonly [bit: number, pattern: RegExp])[],
): (text: string) => number {
  let always = 0;
  const words: [word: string, bit: number][] = [];
  for (const [bit, pattern] of patterns) {
    const needed = findNeededWords(pattern);
    if (needed === null) always |= bit;
    else for (const word of needed) words.push([word, bit]);
  }
  const automaton = buildAutomaton(words);
  return (text) => {
    const possible = always | matchBits(automaton, text);
    if (possible === 0) return 0;
    let bits = 0;
    for (const [bit, pattern] of patterns) if ((possible & bit) !== 0 && pattern.test(text)) bits |= bit;
    return bits;
  };
}

// Looked up once: doing so per character takes longer than the method where texts are strings of many internal kinds.
const { charCodeAt } = String.prototype;

function matchBits({ letters, columns, next, found }: Automaton, text: string): number {
  let bits = 0;
  let state = 0;
  const { length } = text;
  for (let at = 0; at < length; at += 1) {
    const code = charCodeAt.call(text, at);
    state = next[state * columns + (letters[code < OTHER ? code : OTHER] as number)] as number;
    bits |= found[state] as number;
  }
  return bits;
}

function buildAutomaton(words: readonly [word: string, bit: number][]): Automaton {
  const letters = new Uint8Array(OTHER + 1);
  let columns = 1;
  for (const letter of words.flatMap(([word]) => [...word])) {
    if (letters[toCode(letter)] === 0) letters[toCode(letter)] = columns++;
  }
  const size = words.reduce((sum, [{ length }]) => sum + length, 1);
  const automaton = {
    letters,
    columns,
    next: new Uint16Array(size * columns),
    found: new Int32Array(size),
  };
  let states = 1;
  for (const [word, bit] of words) {
    let state = 0;
    for (const letter of word) {
      const place = state * columns + (letters[toCode(letter)] as number);
      if (automaton.next[place] === 0) automaton.next[place] = states++;
      state = automaton.next[place] as number;
    }
    automaton.found[state] = (automaton.found[state] as number) | bit;
  }
  linkFailures(automaton, states);
  return automaton;
}

const toCode = (letter: string): number => Math.min(OTHER, letter.charCodeAt(0));

/**
 * Links each state to the longest other prefix that is a suffix of it, where the search continues when a word breaks off. Visits
 * states nearer to the start first.
 */
function linkFailures({ columns, next, found }: Automaton, states: number): void {
  const fallback = new Uint16Array(states);
  const waiting = [0];
  for (let at = 0; at < waiting.length; at += 1) {
    const state = waiting[at] as number;
    const back = fallback[state] as number;
    found[state] = (found[state] as number) | (found[back] as number);
    for (let letter = 0; letter < columns; letter += 1) {
      const place = state * columns + letter;
      const child = next[place] as number;
      const other = state === 0 ? 0 : (next[back * columns + letter] as number);
      if (child === 0) next[place] = other;
      else {
        fallback[child] = other;
        waiting.push(child);
      }
    }
  }
}

/**
 * Finds words of which every match of a regular expression contains at least one; null when there are none. Syntax that is not
 * understood yields null, never a wrong answer.
 */
export function findNeededWords({ source, flags }: RegExp): string[] | null {
  if (/[^g]/.test(flags)) return null;
  const reader = { source, at: 0 };
  const words = parseAlternatives(reader);
  return reader.at < source.length || words === null || words.length > WORDS_MAX ? null : words;
}

type Reader = { source: string; at: number };

type Words = string[] | null;

function parseAlternatives(reader: Reader): Words {
  const all: string[] = [];
  let isKnown = true;
  for (;;) {
    const words = parseSequence(reader);
    if (words === null) isKnown = false;
    else all.push(...words);
    if (reader.source[reader.at] !== '|') break;
    reader.at += 1;
  }
  return isKnown ? all : null;
}

/** Parses a sequence, all of whose parts must match, and returns the words of the part with the longest ones. */
function parseSequence(reader: Reader): Words {
  let best: Words = null;
  let run = '';
  const take = (words: Words): void => {
    if (words !== null && measureShortest(words) > measureShortest(best)) best = words;
  };
  const endRun = (): void => {
    if (run !== '') take([run]);
    run = '';
  };
  while (reader.at < reader.source.length && !'|)'.includes(reader.source[reader.at] ?? '')) {
    const { words, letter } = parsePart(reader);
    const repeats = parseQuantifier(reader);
    if (letter !== null && repeats === 'once') {
      run += letter;
      continue;
    }
    endRun();
    if (repeats !== 'maybe') take(letter === null ? words : [letter]);
  }
  endRun();
  return best;
}

/** Parses one letter, or a part that may contain words. */
function parsePart(reader: Reader): { words: Words; letter: string | null } {
  const { source } = reader;
  const sign = source[reader.at] ?? '';
  reader.at += 1;
  if (sign === '\\') {
    const escaped = source[reader.at] ?? '';
    reader.at += 1;
    const isLiteral = !/[a-zA-Z0-9]/.test(escaped);
    return { words: escaped === 'd' ? DIGITS : null, letter: isLiteral ? escaped : null };
  }
  if (sign === '[') return { words: parseLetterClass(reader), letter: null };
  if (sign === '(') return { words: parseGroup(reader), letter: null };
  return { words: null, letter: '.^$'.includes(sign) ? null : sign };
}

function parseLetterClass(reader: Reader): Words {
  const { source } = reader;
  const start = reader.at;
  while (reader.at < source.length && source[reader.at] !== ']')
    reader.at += source[reader.at] === '\\' ? 2 : 1;
  const inside = source.slice(start, reader.at);
  reader.at += 1;
  return /[\\^-]/.test(inside) || inside === '' ? null : [...inside];
}

function parseGroup(reader: Reader): Words {
  const isPlain = reader.source.startsWith('?:', reader.at);
  const isLook = !isPlain && reader.source[reader.at] === '?';
  if (isPlain) reader.at += 2;
  else if (isLook) reader.at += reader.source[reader.at + 1] === '<' ? 3 : 2;
  const words = parseAlternatives(reader);
  reader.at += 1;
  return isLook ? null : words;
}

function parseQuantifier(reader: Reader): 'once' | 'repeats' | 'maybe' {
  const { source, at } = reader;
  const found = /^(?:[?*+]|\{(\d+)(?:,\d*)?\})\??/.exec(source.slice(at, at + 12));
  if (found === null) return 'once';
  reader.at += found[0].length;
  return found[0].startsWith('+') || Number(found[1] ?? 0) > 0 ? 'repeats' : 'maybe';
}
