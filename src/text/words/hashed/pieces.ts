/** What a character may be in a piece (PIECE in words.ts): its beginning, a part of it, a letter or a digit, a joint, a sign before it. */
const [START, PART, ALPHANUMERIC, KNOWN, HALF, JOINT, SIGN] = [1, 2, 4, 8, 16, 32, 64];
const CLASSES: readonly [RegExp, number][] = [
  [/[\p{L}\p{N}_]/u, START],
  [/[\p{L}\p{N}\p{M}_]/u, PART],
  [/[\p{L}\p{N}]/u, ALPHANUMERIC],
  [/[-.'’]/, JOINT],
  [/[-$@]/, SIGN],
];

/** Of each UTF-16 code unit; 0: not met yet. */
const classes = new Uint8Array(1 << 16);
/** Of characters beyond the first plane, which are two units. */
const wideClasses = new Map<number, number>();
const WIDE_MAX = 10_000;
const UNIT_MAX = 0xffff;

const code = (sign: string): number => sign.charCodeAt(0);
const [PLUS, HASH, COLON] = [code('+'), code('#'), code(':')];
const SIGNS_MAX = 2;

/** Calls `visit` with the bounds of each piece of an even text: those that the pattern PIECE matches, found several times as fast. */
export function scanPieces(text: string, visit: (start: number, end: number) => void): void {
  let last = 0;
  for (let at = 0; at < text.length; ) {
    const kind = classAt(text, at);
    if ((kind & START) === 0) {
      at += 1;
      continue;
    }
    let start = at;
    while (start > last && at - start < SIGNS_MAX && (classAt(text, start - 1) & SIGN) !== 0) start -= 1;
    last = endOfPiece(text, at);
    visit(start, last);
    at = last;
  }
}

/** The end of the piece whose first letter or digit is at `at`. */
function endOfPiece(text: string, at: number): number {
  let end = endOfRun(text, at);
  for (;;) {
    const joint = jointAt(text, end);
    if (joint === 0 || (classAt(text, end + joint) & START) === 0) return end + endingAt(text, end);
    end = endOfRun(text, end + joint);
  }
}

/** The length of what may join the run that ends here with another one. */
function jointAt(text: string, at: number): number {
  if ((classAt(text, at) & JOINT) !== 0) return 1;
  return text.charCodeAt(at) === COLON && text.charCodeAt(at + 1) === COLON ? 2 : 0;
}

function endOfRun(text: string, start: number): number {
  let at = start;
  for (;;) {
    let kind = classes[text.charCodeAt(at)] ?? 0;
    if (kind === 0 || kind === HALF) kind = classAt(text, at);
    if ((kind & PART) === 0) return at;
    at += (kind & HALF) === 0 ? 1 : 2;
  }
}

/** The length of `++` or `#` after a piece. */
function endingAt(text: string, at: number): number {
  const sign = text.charCodeAt(at);
  if (sign === PLUS) return text.charCodeAt(at + 1) === PLUS ? 2 : 0;
  return sign === HASH && (classAt(text, at + 1) & ALPHANUMERIC) === 0 ? 1 : 0;
}

/** With HALF where the character is two units. */
function classAt(text: string, at: number): number {
  if (at >= text.length) return KNOWN;
  const unit = text.charCodeAt(at);
  const known = classes[unit] as number;
  if (known !== 0 && known !== HALF) return known;
  const point = text.codePointAt(at) ?? 0;
  if (point > UNIT_MAX) {
    classes[unit] = HALF;
    return wideClassOf(point);
  }
  const kind = learnClass(point);
  // Half a pair may stand before its other half elsewhere.
  if (known !== HALF && !isHalf(unit)) classes[unit] = kind;
  return kind;
}

const isHalf = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;

function wideClassOf(point: number): number {
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
