import { extractNames, type Name } from '../../text/facts/names.ts';

/** The things compared, and the respect in which they are ('' if none is given). */
type Comparison = { sides: string[]; about: string };

const VERSUS = /^(?<left>.+?)\s+(?:vs\.?|versus|v\.)\s+(?<right>.+)$/iu;
const MIDDLE = [
  VERSUS,
  /^how\s+(?:does|do|did)\s+(?<left>.+?)\s+compare\s+(?:to|with|against)\s+(?<right>.+)$/iu,
  /^(?<left>.+?)\s*,?\s*compared\s+(?:to|with)\s+(?<right>.+)$/iu,
  /^(?<about>.*?)\b(?:difference|differences|distinction|comparison)\s+between\s+(?<left>.+?)\s+and\s+(?<right>.+)$/iu,
  /^(?:please\s+)?compare\s+(?<left>.+?)\s+(?:and|with|to|against)\s+(?<right>.+)$/iu,
  /^(?<left>.+?)\s+(?:than)\s+(?<right>.+)$/iu,
];
/** A question that ends in a choice: `Which is older, A or B?` */
const CHOICE = /^(?<about>.+?)(?:[,:]|\bof|\bbetween)\s+(?<left>[^,]+?)\s+(?:or|and)\s+(?<right>[^,]+)$/iu;
const CHOICE_ASKED = /\b(?:or)\b|\b(?:better|older|oldest|larger|faster|first|more|most|which|who)\b/iu;
const ABOUT = /\s+(?:for|in|on|at|when|regarding|with respect to|in terms of|as)\s+(.+)$/iu;
const LEADING =
  /^(?:(?:please|what|which|who|how|is|are|was|were|does|do|did|the|a|an|main|key|of|in|should|i|we|use|choose|pick)(?:\s+|$))+/iu;
/** Bounds the patterns above, which may scan a sentence once for each of its words. */
const SENTENCE_CHARS_MAX = 500;
const SIDE_CHARS_MAX = 120;
const SIDE_WORDS_MAX = 6;

/**
 * Parses the comparison that a sentence makes, or returns null: `A vs B for C`, `difference between A and B`, `is A faster than B`,
 * `which is older, A or B`.
 */
export function parseComparison(sentence: string): Comparison | null {
  const text = sentence.replace(/(?<![?!.\s])[?!.\s]+$/u, '').trim();
  if (text.length > SENTENCE_CHARS_MAX) return null;
  for (const pattern of MIDDLE) {
    const { left, right, about = '' } = pattern.exec(text)?.groups ?? {};
    if (left === undefined || right === undefined) continue;
    const made = parseSides(left, right, about);
    if (made !== null) return made;
  }
  return parseChoice(text);
}

function parseChoice(text: string): Comparison | null {
  const { left, right, about = '' } = CHOICE.exec(text)?.groups ?? {};
  if (left === undefined || right === undefined || !CHOICE_ASKED.test(text)) return null;
  const sides = [left, right].map(stripFiller);
  const areNames = sides.every((side) => extractNames(`: ${side}`).some(({ text: name }) => name === side));
  return areNames ? { sides, about: stripFiller(about) } : null;
}

/** The sides are the names next to the comparing word, otherwise the words around it without filler. */
function parseSides(left: string, right: string, about: string): Comparison | null {
  const lefts = left
    .split(/\s*,\s*(?:vs\.?|versus)?\s*|\s+(?:vs\.?|versus)\s+/iu)
    .filter((part) => part !== '');
  const nearest = lefts.at(-1) ?? left;
  const leftName = extractNames(` ${nearest}`).at(-1);
  const more = right.split(/\s+(?:vs\.?|versus)\s+/iu);
  const first = more[0] ?? right;
  const rightName = extractNames(`: ${first}`)[0];
  const sides: string[] = lefts.slice(0, -1).filter(isShort).map(stripFiller);
  const respects: string[] = [about];
  if (leftName !== undefined && rightName !== undefined && isNearStart(rightName, 2)) {
    respects.push(nearest.slice(0, Math.max(0, leftName.start - 1)), nearest.slice(leftName.end));
    sides.push(leftName.text, rightName.text);
    respects.push(first.slice(rightName.end - 2));
  } else {
    const respect = ABOUT.exec(more.at(-1) ?? '')?.[1] ?? '';
    respects.push(respect);
    sides.push(stripFiller(nearest), stripFiller(first.replace(ABOUT, '')));
  }
  sides.push(...more.slice(1).map((part) => stripFiller(part.replace(ABOUT, ''))));
  if (sides.length < 2 || !sides.every(isShort)) return null;
  return {
    sides: [...new Set(sides)],
    about: respects
      .map(stripFiller)
      .filter((part) => part !== '')
      .join(' '),
  };
}

const isNearStart = ({ start }: Name, most: number): boolean => start <= most + 4;

const isShort = (side: string): boolean =>
  side.length > 0 && side.length <= SIDE_CHARS_MAX && side.split(/\s+/).length <= SIDE_WORDS_MAX;

function stripFiller(text: string): string {
  return text
    .trim()
    .replace(/^[,;:"“”'\s]+|(?<![,;:?!."“”'\s])[,;:?!."“”'\s]+$/gu, '')
    .replace(LEADING, '')
    .replace(/\s+(?:is|are|was|were|the|a|and|or)$/iu, '')
    .trim();
}
