/** The kind of answer that the words of a question ask for. */
export type AskedKind = 'date' | 'number';

const COUNT_WORDS =
  'how (?:many|much|long|far|old|tall|high|large|big|often)|what (?:percent|number)|wie ?viele?|cuánt[oa]s?|quant[oaie]s?|combien|hoeveel|hur många|hvor mange|câ(?:ți|te|t)|сколько|скільки|πόσ(?:ο|α|οι|ες|η)|kaç|bao nhiêu|berapa|ile|hány|كم|عدد|कितन[ाेी]';
const TIME_WORDS =
  'when|(?:what|which) (?:year|date|day|month|century|decade)|wann|welche[mnrs]? jahr|cuándo|qué año|quand|quando|quelle année|wanneer|när|når|când|ce an|когда|каком году|коли|πότε|ποιο έτος|ne zaman|hangi yıl|khi nào|năm nào|kapan|kiedy|mikor|متى|أي عام|कब';
const ASKS: [AskedKind, RegExp][] = [
  ['number', buildAskPattern(COUNT_WORDS, '多少|几|幾|กี่|เท่าไร|เท่าใด|เท่าไหร่|いくつ')],
  ['date', buildAskPattern(TIME_WORDS, '何时|何時|哪一年|哪年|什么时候|เมื่อใด|เมื่อไร|เมื่อไหร่|いつ')],
];

function buildAskPattern(words: string, unspaced: string): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})|${unspaced}`, 'iu');
}

/** Detects the kind of answer that a question asks for, by its question word; null when no pattern matches. */
export function detectAskedKind(query: string): AskedKind | null {
  return ASKS.find(([, pattern]) => pattern.test(query))?.[0] ?? null;
}
