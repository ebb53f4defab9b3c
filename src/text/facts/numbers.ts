/**
 * Reads the numbers with their units out of a sentence, so that two texts can be compared by what they state. Dates are read by dates.ts,
 * names by names.ts. Nothing here judges whether two statements are about the same thing.
 */
import { tokenizeWords } from '../words/words.ts';

/** Units by dimension, factor and spellings. Spellings of one or two letters are case-sensitive. */
const TABLE: [dimension: string, factor: number, spellings: string][] = [
  ['length', 1e-9, 'nm nanometre nanometres nanometer nanometers'],
  ['length', 1e-6, 'µm μm micrometre micrometres micrometer micrometers micron microns'],
  ['length', 1e-3, 'mm millimetre millimetres millimeter millimeters 毫米 ミリ'],
  [
    'length',
    1e-2,
    'cm centimetre centimetres centimeter centimeters zentimeter centímetros centimètres 厘米 センチ',
  ],
  [
    'length',
    1,
    'm metre metres meter meters metern mètre mètres metro metros metri метр метра метров 米 メートル',
  ],
  [
    'length',
    1e3,
    'km kilometre kilometres kilometer kilometers kilometern kilomètre kilomètres kilómetros chilometri км километр километра километров 公里 千米 キロメートル',
  ],
  ['length', 0.3048, 'ft foot feet fuß pieds pies'],
  ['length', 0.0254, 'inch inches'],
  ['length', 0.9144, 'yd yard yards'],
  ['length', 1609.344, 'mi mile miles meilen millas'],
  ['area', 1, 'm² m2 sqm'],
  ['area', 1e6, 'km² km2 平方公里 平方千米'],
  ['area', 1e4, 'ha hectare hectares hektar 公顷 ヘクタール'],
  ['area', 4046.8564224, 'acre acres'],
  ['area', 2589988.110336, 'mi²'],
  ['area', 0.09290304, 'ft²'],
  ['mass', 1e-6, 'mg milligram milligrams milligramm'],
  ['mass', 1e-3, 'g gram grams gramm grammes gramos 克 グラム'],
  ['mass', 1, 'kg kilogram kilograms kilogramm kilogrammes kilogramos кг 公斤 千克 キログラム'],
  ['mass', 1e3, 't tonne tonnes tonnen toneladas тонн 吨 トン'],
  ['mass', 0.45359237, 'lb lbs pound pounds'],
  ['mass', 0.028349523125, 'oz ounce ounces'],
  ['volume', 1e-3, 'ml mL millilitre millilitres milliliter milliliters'],
  ['volume', 1, 'l L litre litres liter liters litros 升 リットル'],
  ['time', 1e-3, 'ms millisecond milliseconds millisekunden'],
  ['time', 1, 's sec second seconds sekunden secondes segundos секунд 秒'],
  ['time', 60, 'min minute minutes minuten minutos минут 分钟'],
  ['time', 3600, 'h hr hrs hour hours stunden heures horas часов 小时 時間'],
  ['time', 86400, 'day days tage tagen jours días дней 天'],
  ['time', 604800, 'week weeks wochen semaines semanas'],
  ['time:months', 1, 'month months monate monaten mois meses'],
  ['time:years', 1, 'yr yrs year years jahre jahren ans années años лет'],
  ['data', 1, 'byte bytes B'],
  ['data', 1e3, 'kB KB kilobyte kilobytes'],
  ['data', 1e6, 'MB megabyte megabytes'],
  ['data', 1e9, 'GB gigabyte gigabytes'],
  ['data', 1e12, 'TB terabyte terabytes'],
  ['data', 1024, 'KiB kibibytes'],
  ['data', 1048576, 'MiB mebibytes'],
  ['data', 1073741824, 'GiB gibibytes'],
  ['speed', 1 / 3.6, 'km/h kph'],
  ['speed', 0.44704, 'mph'],
  ['speed', 1, 'm/s'],
  ['power', 1, 'W watt watts'],
  ['power', 1e3, 'kW kilowatt kilowatts'],
  ['power', 1e6, 'MW megawatt megawatts'],
  ['power', 1e9, 'GW gigawatt gigawatts'],
  ['frequency', 1, 'Hz hertz'],
  ['frequency', 1e6, 'MHz megahertz'],
  ['frequency', 1e9, 'GHz gigahertz'],
  ['percent', 1, '% percent prozent porcentaje'],
  ['percent', 0.1, '‰'],
  ['money:usd', 1, 'USD dollar dollars dólares 美元 ドル'],
  ['money:eur', 1, 'EUR euro euros € 欧元 ユーロ'],
  ['money:gbp', 1, 'GBP'],
  ['money:jpy', 1, 'JPY yen 日元 円'],
  ['money:cny', 1, 'CNY RMB yuan 元 人民币'],
  [
    'count:people',
    1,
    'people inhabitants residents persons einwohner einwohnern einwohnerinnen habitants habitantes abitanti жителей человек 人 居民',
  ],
];
/** Every spelling of a unit; those of three or more letters in lower case too. */
const UNITS: ReadonlyMap<string, UnitFactor> = new Map([
  ...TABLE.flatMap(([dimension, factor, spellings]) =>
    spellings.split(' ').flatMap((spelling): [string, UnitFactor][] => {
      const unit = { dimension, factor, offset: 0 };
      return spelling.length > 2
        ? [
            [spelling, unit],
            [spelling.toLowerCase(), unit],
          ]
        : [[spelling, unit]];
    }),
  ),
  ...['°C', '° C'].map((spelling): [string, UnitFactor] => [
    spelling,
    { dimension: 'temperature', factor: 1, offset: 0 },
  ]),
  ...['°F', '° F'].map((spelling): [string, UnitFactor] => [
    spelling,
    { dimension: 'temperature', factor: 5 / 9, offset: -160 / 9 },
  ]),
]);

/**
 * A number with its unit in a text. `value`, `step` and `grain` are in the base unit of its dimension; the last two are the size of its
 * last digit.
 */
export type Quantity = {
  start: number;
  end: number;
  /** Only quantities of one dimension are compared: `length`, `money:usd`, `count:member`. */
  dimension: string;
  value: number;
  /** Treats the trailing zeros of a whole number as rounded, not as digits. */
  step: number;
  /** Treats trailing zeros as exact. */
  grain: number;
  /** Number and unit as written in the text. */
  shown: string;
  /** The text gives an exact figure, an estimate, a minimum or a maximum. */
  bound: 'exact' | 'about' | 'least' | 'most';
};

/** Languages in which the comma is the decimal mark. */
const COMMA_DECIMAL = new Set(
  'de fr es it pt nl ru uk pl cs sv da nb nn no fi tr el ro hu id vi bg hr sk sl'.split(' '),
);
const NUMBER =
  /(?<![\p{L}\p{N}_.,/:^-])(?<sign>[-−](?=[\d$€£¥₹]))?(?<money>US\$|\$|€|£|¥|₹)?\s?(?<digits>\d{1,3}(?:[,.\u00a0\u202f'’]\d{3}){1,12}(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?!\d|[.,:/-]\d|(?:st|nd|rd|th)\b)/gu;
const SCALE =
  /^\s?(?:(?<word>thousand|million|millions|billion|trillion|mio|mrd|tausend|millionen|milliarden|millones|milliards?|миллион(?:а|ов)?|тысяч[аи]?)(?!\p{L})|(?<letter>[kKMB])(?![\p{L}\p{N}])|(?<han>[万萬亿億]))/iu;
const SCALES: Record<string, number> = {
  thousand: 1e3,
  tausend: 1e3,
  k: 1e3,
  million: 1e6,
  millions: 1e6,
  mio: 1e6,
  millionen: 1e6,
  millones: 1e6,
  m: 1e6,
  billion: 1e9,
  b: 1e9,
  mrd: 1e9,
  milliarden: 1e9,
  milliard: 1e9,
  milliards: 1e9,
  trillion: 1e12,
  万: 1e4,
  萬: 1e4,
  亿: 1e8,
  億: 1e8,
  миллион: 1e6,
  миллиона: 1e6,
  миллионов: 1e6,
  тысяч: 1e3,
  тысяча: 1e3,
  тысячи: 1e3,
};
const MONEY: Record<string, string> = {
  US$: 'usd',
  $: 'usd',
  '€': 'eur',
  '£': 'gbp',
  '¥': 'jpy',
  '₹': 'inr',
};
const UNIT_WORD = /^[\s-]?(?<unit>°\s?[CF]|%|‰|[\p{L}µ]{1,14}(?:\s?\/\s?\p{L}{1,5})?[²³]?)/u;
const BEFORE: [Quantity['bound'], RegExp][] = [
  [
    'least',
    /(?:over|more than|at least|above|exceeding|upwards of|minimum of|from|mehr als|über|mindestens|plus de|más de|至少|超过)\s*$/iu,
  ],
  [
    'most',
    /(?:under|less than|at most|up to|below|fewer than|almost|nearly|bis zu|weniger als|fast|moins de|menos de|不到|最多)\s*$/iu,
  ],
  [
    'about',
    /(?:about|around|approximately|approx\.?|roughly|some|circa|ca\.?|c\.|~|≈|estimated(?: at)?|etwa|rund|ungefähr|environ|unos|aproximadamente|около|примерно|约|約)\s*$/iu,
  ],
];
/** Matches a plural right after a number, which names what is counted; any other word may be an adjective. */
const COUNTED = /^[\s-](?:\p{Ll}{3,}s|children|men|women)$/u;
const BEFORE_CHARS = 30;
const RANGE_AFTER = /^\s?(?:[-–—]|to|bis|à)\s?[$€£]?\d/u;
const RANGE_BEFORE = /\d\s?(?:[-–—]|to|bis|à)\s?$/u;
const QUANTITIES_MAX = 40;

/** Extracts the quantities of a sentence in plain text. Bare numbers count what the next word names; skips years, ranges and versions. */
export function extractQuantities(sentence: string, language: string | null): Quantity[] {
  const found: Quantity[] = [];
  for (const match of sentence.matchAll(NUMBER)) {
    const { digits = '', sign, money } = match.groups ?? {};
    const start = match.index + (match[0].length - match[0].trimStart().length);
    const numberEnd = match.index + match[0].length;
    const rest = sentence.slice(numberEnd, numberEnd + 40);
    if (RANGE_AFTER.test(rest) || RANGE_BEFORE.test(sentence.slice(0, start))) continue;
    const read = readNumber(digits, language);
    if (read === null) continue;
    const scale = parseScale(rest, money !== undefined);
    const unit = parseUnit(rest.slice(scale.length), {
      money,
      isPlain: digits.length === 4 && scale.length === 0,
    });
    if (unit === null) continue;
    const factor = scale.factor * unit.factor;
    const value = (sign === undefined ? 1 : -1) * read.value * factor + unit.offset;
    const end = numberEnd + scale.length + unit.length;
    const shown = sentence.slice(start, end).replace(/\s+/g, ' ').trim();
    const before = sentence.slice(Math.max(0, start - BEFORE_CHARS), start);
    const bound = BEFORE.find(([, pattern]) => pattern.test(before))?.[0] ?? 'exact';
    found.push({
      start,
      end,
      dimension: unit.dimension,
      value,
      step: read.step * factor,
      grain: read.grain * factor,
      shown,
      bound,
    });
    if (found.length >= QUANTITIES_MAX) break;
  }
  return found;
}

/** Parses digits with separators to their value and the size of the last digit; null when a separator is ambiguous. */
function readNumber(
  digits: string,
  language: string | null,
): { value: number; step: number; grain: number } | null {
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  const comma = language !== null && COMMA_DECIMAL.has(language);
  let decimal: string | null = null;
  if (new Set(marks).size === 2) decimal = last ?? null;
  else if (marks.length === 1) {
    const behind = digits.length - 1 - digits.lastIndexOf(last ?? '');
    const isGroup = behind === 3 && (last === ',' ? !comma : comma);
    // 1.234 is ambiguous on a page of unknown language.
    if (behind === 3 && language === null && last === '.') return null;
    decimal = isGroup ? null : (last ?? null);
  }
  const point = decimal === null ? -1 : digits.lastIndexOf(decimal);
  const whole = (point === -1 ? digits : digits.slice(0, point)).replace(/\D/g, '');
  const fraction = point === -1 ? '' : digits.slice(point + 1);
  const zeros = fraction === '' ? (/(?<!0)0+$/.exec(whole)?.[0].length ?? 0) : 0;
  const step =
    fraction === '' ? 10 ** Math.min(zeros, Math.max(0, whole.length - 1)) : 10 ** -fraction.length;
  const grain = fraction === '' ? 1 : step;
  return { value: Number(`${whole}.${fraction || '0'}`), step, grain };
}

/** Parses what scales the number before `rest`: `million`, `k`. */
export function parseScale(rest: string, isMoney: boolean): { factor: number; length: number } {
  const { 0: text, groups } = SCALE.exec(rest) ?? {};
  if (text === undefined) return { factor: 1, length: 0 };
  const { word, letter, han } = groups ?? {};
  // `5 m` means metres and `5 B` bytes, unless a currency sign precedes the number.
  if (letter !== undefined && !(isMoney || letter === 'K')) return { factor: 1, length: 0 };
  return { factor: SCALES[(word ?? letter ?? han ?? '').toLowerCase()] ?? 1, length: text.length };
}

type Unit = { dimension: string; factor: number; offset: number; length: number };

/** Parses the unit of the number before `rest`; null if the next word is none. */
export function parseUnit(
  rest: string,
  { money, isPlain }: { money: string | undefined; isPlain: boolean },
): Unit | null {
  if (money !== undefined)
    return { dimension: `money:${MONEY[money] ?? money}`, factor: 1, offset: 0, length: 0 };
  const { 0: text, groups } = UNIT_WORD.exec(rest) ?? {};
  const word = (groups?.unit ?? '').replace(/\s?\/\s?/, '/');
  const known =
    UNITS.get(word) ?? (word.length > 2 ? UNITS.get(word.toLowerCase()) : undefined) ?? parseHanUnit(word);
  if (known !== undefined && !(isPlain && text === 's'))
    return { ...known, length: known.written ?? text?.length ?? 0 };
  // Four digits are usually a year, and `1980s` is a decade.
  if (isPlain || text === undefined || !COUNTED.test(text)) return null;
  return { dimension: `count:${stemCounted(word)}`, factor: 1, offset: 0, length: text.length };
}

/** Parses a unit at the beginning of Chinese or Japanese text, which has no spaces. */
function parseHanUnit(word: string): (Omit<Unit, 'length'> & { written: number }) | undefined {
  for (const size of [4, 3, 2, 1]) {
    const unit = /^[\p{Script=Han}\p{Script=Katakana}ー]/u.test(word)
      ? UNITS.get(word.slice(0, size))
      : undefined;
    if (unit !== undefined) return { ...unit, written: size };
  }
  return undefined;
}

/** Stems the word for what is counted, so that `members` and `member` are the same dimension. */
const stemCounted = (word: string): string => tokenizeWords(word, 'en')[0] ?? word;

const SMALL_NUMBERS = 'two three four five six seven eight nine ten eleven twelve'.split(' ');
const WRITTEN_NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:${SMALL_NUMBERS.join('|')})(?![\\p{L}\\p{N}-])`,
  'giu',
);

/** Extracts quantities like `extractQuantities`, including numbers that English writes as words: `six times`. */
export function extractWrittenQuantities(sentence: string, language: string | null): Quantity[] {
  const read = extractQuantities(sentence, language);
  for (const match of sentence.matchAll(WRITTEN_NUMBER)) {
    const number = String(SMALL_NUMBERS.indexOf(match[0].toLowerCase()) + 2);
    const [start, end] = [match.index, match.index + match[0].length];
    const [one] = extractQuantities(`${number}${sentence.slice(end)}`, language).filter(
      (found) => found.start === 0,
    );
    if (one === undefined) continue;
    const shift = end - number.length;
    read.push({ ...one, start, end: one.end + shift, shown: sentence.slice(start, one.end + shift) });
  }
  return read.sort((left, right) => left.start - right.start);
}

/** A unit as a factor to the base of its dimension; `offset` is for temperatures. */
type UnitFactor = { dimension: string; factor: number; offset: number; written?: number };
