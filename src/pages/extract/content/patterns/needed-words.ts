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
const WORDS_MAX = 60;

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

const measureShortest = (words: Words): number =>
  words === null ? 0 : words.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);

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
const DIGITS = [...'0123456789'];

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
