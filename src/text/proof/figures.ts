import { parseScale, parseUnit } from '../facts/numbers.ts';

/** A number in a text, wherever it stands: with its unit, in a range, within a date, or alone. */
export type StatedFigure = {
  start: number;
  /** The end of its unit. */
  end: number;
  /** The number as written, with its unit. */
  shown: string;
  /** The readings of the digits: 1.234 may be a thousand or a little more than one. */
  values: readonly number[];
  /** Null for a number without a unit, or with a word that only names what is counted. */
  unit: FigureUnit | null;
  /** The size of the last digit. */
  step: number;
};

/** `factor` and `offset` convert to the base of the dimension; `word` is the unit as written. */
type FigureUnit = { dimension: string; factor: number; offset: number; word: string };

const DIGITS =
  /(?<![\p{L}\p{N}_])(?<money>US\$|\$|€|£|¥|₹)?\s?(?<digits>\d+(?:[.,'’\u00a0\u202f]\d+){0,12})/gu;
const MINUS = /(?<![\p{L}\p{N}]\s?)[-−]$/u;
/** Letters right behind a number that do not make it a part of a name: `5th`, `1990s`. */
const ENDING = /^(?:st|nd|rd|th|s)(?![\p{L}\p{N}])/u;
const RANGE = /^\s?(?:[-–—/]|to|and|bis|à)\s?(?:US\$|[$€£¥₹])?\d+(?:[.,]\d+){0,4}/u;
const NUMBERS: Readonly<Record<string, number>> = {
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
  hundred: 100,
  thousand: 1_000,
  dozen: 12,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
};
const TENS = 'twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety';
const UNITS = 'one|two|three|four|five|six|seven|eight|nine';
const WRITTEN = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?<tens>${TENS})[- ](?<ones>${UNITS})|(?<word>${Object.keys(NUMBERS)
    .filter((word) => word !== 'one')
    .join('|')}))(?![\\p{L}\\p{N}])`,
  'giu',
);
const REST_CHARS = 40;
/** No statement has as many: it is shorter. */
const FIGURES_MAX = 500;

/** Reads every number of a plain text, in order. */
export function readFigures(text: string): StatedFigure[] {
  const read = [...readDigits(text), ...readWords(text)];
  return read.sort((one, other) => one.start - other.start).slice(0, FIGURES_MAX);
}

function readDigits(text: string): StatedFigure[] {
  return [...text.matchAll(DIGITS)].flatMap((match): StatedFigure[] => {
    const { digits = '', money } = match.groups ?? {};
    const end = match.index + match[0].length;
    const start = match.index;
    const rest = text.slice(end, end + REST_CHARS);
    if (ENDING.test(rest))
      return [{ start, end, shown: digits, values: readValues(digits), unit: null, step: 1 }];
    // The numbers of a range share the unit behind it.
    const range = RANGE.exec(rest)?.[0] ?? '';
    const scale = parseScale(rest.slice(range.length), money !== undefined);
    const behind = rest.slice(range.length + scale.length);
    const read = parseUnit(behind, { money, isPlain: digits.length === 4 && scale.length === 0 });
    const isMeasure = read !== null && !read.dimension.startsWith('count:');
    const isJoined = /^[\p{L}_]/u.test(rest);
    if (isJoined && scale.length === 0 && !isMeasure) return [];
    const sign = MINUS.test(text.slice(Math.max(0, start - 3), start)) ? -1 : 1;
    const word = (money ?? behind.slice(0, read?.length ?? 0)).trim().toLowerCase();
    const unitEnd = range === '' && isMeasure ? end + scale.length + read.length : end;
    return [
      {
        start,
        end: unitEnd,
        shown: text.slice(start, unitEnd).trim(),
        values: readValues(digits).map((value) => value * scale.factor * sign),
        unit: isMeasure
          ? { dimension: read.dimension, factor: read.factor, offset: read.offset, word }
          : null,
        step: measureStep(digits) * scale.factor,
      },
    ];
  });
}

/** Reads digits as a decimal number, as a grouped one, or as both where the mark does not tell. */
function readValues(digits: string): number[] {
  const marks = digits.replace(/\d/g, '');
  const parts = digits.split(/[^\d]/);
  const last = parts.at(-1) ?? '';
  const isGrouped = parts.slice(1).every((part) => part.length === 3) && (parts[0]?.length ?? 0) <= 3;
  const whole = Number(parts.join(''));
  if (marks === '') return [whole];
  if (new Set(marks).size === 2 && /[.,]/.test(marks.at(-1) ?? ''))
    return [Number(`${parts.slice(0, -1).join('')}.${last}`)];
  if (marks.length > 1) return [whole];
  if (!/[.,]/.test(marks)) return [whole];
  const decimal = Number(`${parts[0]}.${last}`);
  return isGrouped ? [whole, decimal] : [decimal];
}

/** Returns the size of the last digit; the trailing zeros of a whole number count as digits. */
function measureStep(digits: string): number {
  const [, fraction = ''] = /[.,](\d+)$/.exec(digits) ?? [];
  return fraction === '' || fraction.length === 3 ? 1 : 10 ** -fraction.length;
}

function readWords(text: string): StatedFigure[] {
  return [...text.matchAll(WRITTEN)].map((match) => {
    const { tens, ones, word } = match.groups ?? {};
    const [start, end] = [match.index, match.index + match[0].length];
    const value =
      word === undefined
        ? (NUMBERS[tens?.toLowerCase() ?? ''] ?? 0) + (NUMBERS[ones?.toLowerCase() ?? ''] ?? 0)
        : (NUMBERS[word.toLowerCase()] ?? 0);
    const rest = text.slice(end, end + REST_CHARS);
    const scale = parseScale(rest, false);
    const read = parseUnit(rest.slice(scale.length), { money: undefined, isPlain: false });
    const isMeasure = read !== null && !read.dimension.startsWith('count:');
    const unitEnd = isMeasure ? end + scale.length + read.length : end;
    return {
      start,
      end: unitEnd,
      shown: text.slice(start, unitEnd),
      values: [value * scale.factor],
      unit: isMeasure
        ? {
            dimension: read.dimension,
            factor: read.factor,
            offset: read.offset,
            word: rest
              .slice(scale.length, scale.length + read.length)
              .trim()
              .toLowerCase(),
          }
        : null,
      step: scale.factor,
    };
  });
}

/** Returns the value of a figure in the base of its unit. */
export const toBase = (value: number, { factor, offset }: FigureUnit): number => value * factor + offset;
