import { findNeededWords } from './needed-words.ts';

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
