/**
 * Makes statements from sentences of pages: true ones in other words, and false ones that differ from a true one in a single figure, date,
 * name, unit, denial or thing, or in two things that stand in each other's place. Each is given the sentence that it was made from as its quotation.
 */

import { findSentenceEnds } from '../../src/text/chunk/sentences.ts';
import { toVisibleText } from '../../src/text/markup/visible-text.ts';

export type ClaimPage = { title: string; paragraphs: string[] };
export const FALSE_KINDS = ['number', 'date', 'name', 'unit', 'negation', 'entity', 'role'] as const;
export type FalseKind = (typeof FALSE_KINDS)[number];
export type MadeClaim = {
  kind: FalseKind | 'true';
  text: string;
  quote: string;
  passage: string;
  title: string;
};

type Sentence = { text: string; passage: string; title: string; page: number };
type Draw = (below: number) => number;

/** Makes `perKind` false statements of each kind and as many true ones in all, the same ones each time. */
export function makeClaims(pages: readonly ClaimPage[], perKind: number): MadeClaim[] {
  const draw = createDraw(20_261_128);
  const sentences = shuffle(pages.flatMap(listSentences), draw);
  const words = collectWords(sentences);
  const claims: MadeClaim[] = [];
  const used = new Set<string>();
  const take = (kind: MadeClaim['kind'], most: number, make: (sentence: Sentence) => string | null): void => {
    let made = 0;
    for (const sentence of sentences) {
      if (made >= most) break;
      if (used.has(sentence.text)) continue;
      const text = make(sentence);
      if (text === null || text === sentence.text) continue;
      used.add(sentence.text);
      const { passage, title } = sentence;
      claims.push({ kind, text, quote: sentence.text, passage, title });
      made += 1;
    }
  };
  for (const kind of FALSE_KINDS)
    take(kind, perKind, (sentence) => {
      const changed = CHANGES[kind](sentence, { draw, words });
      if (changed === null) return null;
      // The rest of a false statement is in other words too, where the change stays.
      const reworded = sayOtherwise({ text: changed.text, title: sentence.title }, draw);
      return reworded?.includes(changed.part) ? reworded : changed.text;
    });
  take('true', perKind * FALSE_KINDS.length, (sentence) => sayOtherwise(sentence, draw));
  return claims;
}

function createDraw(seed: number): Draw {
  let state = seed;
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return (((value ^ (value >>> 14)) >>> 0) / 4_294_967_296) * below;
  };
}

const drawFrom = <Item>(items: readonly Item[], draw: Draw): Item | undefined =>
  items[Math.floor(draw(items.length))];

function shuffle<Item>(items: readonly Item[], draw: Draw): Item[] {
  return items
    .map((item) => ({ item, at: draw(1) }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

const WORDS_MIN = 8;
const WORDS_MAX = 40;

function listSentences({ title, paragraphs }: ClaimPage, page: number): Sentence[] {
  return paragraphs.flatMap((paragraph) => {
    const passage = toVisibleText(paragraph).replace(/\s+/g, ' ');
    const ends = [...findSentenceEnds(passage), passage.length];
    return ends
      .map((end, place) => passage.slice(ends[place - 1] ?? 0, end).trim())
      .filter((text) => {
        const count = text.split(' ').length;
        return count >= WORDS_MIN && count <= WORDS_MAX && /^[A-Z].*\.$/.test(text) && !/["“”?]/.test(text);
      })
      .map((text) => ({ text, passage, title, page }));
  });
}

type Words = { names: { page: number; text: string }[]; things: { page: number; text: string }[] };

const NAME = /(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*(?![\w-])/g;
const THING =
  /(?<=\b(?:the|a|an|of|and|in|by|with) )[a-z]{5,}(?=[,.;]| (?:is|was|are|were|of|in|to|and|that|which|from|for|by|with|has|had)\b)/g;

function collectWords(sentences: readonly Sentence[]): Words {
  const collect = (pattern: RegExp) =>
    sentences.flatMap(({ text, page }) =>
      (text.match(pattern) ?? []).map((found) => ({ page, text: found })),
    );
  return { names: collect(NAME), things: collect(THING) };
}

/** The changed sentence, and the part of it that holds the change. */
type Change = (
  sentence: Sentence,
  means: { draw: Draw; words: Words },
) => { text: string; part: string } | null;

/** Two names, or two nouns, around a verb; the verbs that say the same both ways are left out. */
const PAST = `(?!married|named|called|titled|merged|shared|bordered|played|joined)[a-z]+ed|bought|sold|beat|wrote|built|made|won|led|took|gave|brought|held|left|became|began|found|saw|sent|taught|fought|drove|overthrew|met`;
const AROUND = `(?: (?:was|were|is|are|had|has|have|also|later|first|then|been)){0,2} (?:${PAST})(?: (?:by|in|to|from|at|on|for|into|of|over|the|a)){0,2} `;
const NAMED = String.raw`[A-Z][\w-]+(?: [A-Z][\w-]+){0,3}`;
const ROLES = [
  new RegExp(`(?<![\\w,] )(?<one>${NAMED})(?<between>${AROUND})(?<other>${NAMED})(?! [a-z]+ed)(?![\\w-])`),
  new RegExp(
    `(?<=\\b[Tt]he )(?<one>[a-z]{4,})(?<between>${AROUND.trimEnd()} (?:the|a|an|its|his) )(?<other>[a-z]{4,})(?=[,.]| (?:in|of|and|to|on|at|from) )`,
  ),
  new RegExp(`(?<one>${NAMED})(?<between> (?:is|was) the [a-z]+ of )(?<other>${NAMED})`),
];

const replaceAt = (text: string, { index, 0: old }: RegExpExecArray, part: string) => ({
  text: text.slice(0, index) + part + text.slice(index + old.length),
  part,
});

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const MONTH = MONTHS.join('|');
const UNITS: Record<string, string> = {
  km: 'miles',
  kilometres: 'miles',
  kilometers: 'miles',
  miles: 'kilometres',
  mi: 'km',
  metres: 'feet',
  meters: 'feet',
  feet: 'metres',
  ft: 'm',
  m: 'ft',
  kg: 'pounds',
  pounds: 'kilograms',
  tonnes: 'kilograms',
  percent: 'dollars',
  years: 'months',
  months: 'weeks',
  days: 'hours',
  hours: 'minutes',
  minutes: 'seconds',
  weeks: 'days',
  acres: 'hectares',
  hectares: 'acres',
  dollars: 'euros',
  inches: 'centimetres',
  GB: 'MB',
  MB: 'GB',
  '%': ' kg',
};

/** One change of each kind; null where the sentence has nothing of the kind. */
const CHANGES: Record<FalseKind, Change> = {
  number({ text }, { draw }) {
    const found = [...text.matchAll(/(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])/g)].filter(
      ([digits]) => !/^(?:1[0-9]|20)\d\d$/.test(digits),
    );
    const one = drawFrom(found, draw);
    if (one === undefined) return null;
    const [digits] = one;
    const at = Math.floor(draw(digits.length));
    const place = /\d/.test(digits[at] ?? '') ? at : 0;
    const next = String((Number(digits[place]) + 1 + Math.floor(draw(8))) % 10);
    const changed =
      digits.slice(0, place) + (place === 0 && next === '0' ? '3' : next) + digits.slice(place + 1);
    return changed === digits ? null : replaceAt(text, one, changed);
  },
  date({ text }, { draw }) {
    const years = [...text.matchAll(/(?<![\w-])(?:1[5-9]|20)\d\d(?![\w-])/g)];
    const months = [...text.matchAll(new RegExp(`(?<!\\w)(?:${MONTH})(?= \\d)`, 'g'))];
    const one = drawFrom([...years, ...months], draw);
    if (one === undefined) return null;
    const [old] = one;
    const changed = /\d/.test(old)
      ? String(Number(old) + (draw(2) < 1 ? -1 : 1) * (1 + Math.floor(draw(40))))
      : (MONTHS[(MONTHS.indexOf(old) + 1 + Math.floor(draw(11))) % 12] ?? '');
    return text.includes(changed) ? null : replaceAt(text, one, changed);
  },
  name({ text, page }, { draw, words }) {
    const one = drawFrom([...text.matchAll(NAME)], draw);
    const isSame = draw(2) < 1;
    const other = drawFrom(
      words.names.filter((name) => (name.page === page) === isSame),
      draw,
    )?.text;
    if (one === undefined || other === undefined || isShared(text, other)) return null;
    return replaceAt(text, one, other);
  },
  unit({ text }, { draw }) {
    const pattern = new RegExp(`(?<=\\d ?)(?:${Object.keys(UNITS).join('|')})(?!\\w)`, 'g');
    const one = drawFrom([...text.matchAll(pattern)], draw);
    const other = one === undefined ? undefined : UNITS[one[0]];
    if (one === undefined || other === undefined || text.includes(other)) return null;
    return replaceAt(text, one, other);
  },
  negation({ text }) {
    const denial = /\b(?:not|never) (\w+)/.exec(text);
    if (denial !== null) return replaceAt(text, denial, denial[1] ?? '');
    if (/\b(?:no|none|without|cannot|nor|neither)\b|n't/.test(text)) return null;
    const verb =
      /\b(?:is|was|are|were|can|could|will|would|has|have|had|may|should)(?= (?!to\b|the same\b))/.exec(text);
    return verb === null ? null : replaceAt(text, verb, `${verb[0]} not`);
  },
  entity({ text, page }, { draw, words }) {
    const one = drawFrom([...text.matchAll(THING)], draw);
    const isSame = draw(2) < 1;
    const other = drawFrom(
      words.things.filter((thing) => (thing.page === page) === isSame),
      draw,
    )?.text;
    if (one === undefined || other === undefined || isShared(text, other)) return null;
    return replaceAt(text, one, other);
  },
  role({ text }) {
    const found = ROLES.map((pattern) => pattern.exec(text)).find((match) => match !== null);
    const { one = '', between = '', other = '' } = found?.groups ?? {};
    // The first word of a sentence may be no name.
    if (
      !found ||
      isShared(one, other) ||
      /^(?:The|This|That|It|He|She|In|At|On|By|For|After|When|As) /.test(one)
    )
      return null;
    if (
      /^(?:This|That|These|Those|It|He|She|They|We|In|At|On|By|For|After|When|Its|His|Her|Their|There|Most|Many|Some|All|Both)$/.test(
        one,
      )
    )
      return null;
    return replaceAt(text, found, other + between + one);
  },
};

/** A word of the same stem is no change. */
const isShared = (text: string, other: string): boolean =>
  other.split(' ').some((word) => text.toLowerCase().includes(word.toLowerCase().slice(0, 5)));

const SYNONYMS: [from: RegExp, to: string][] = [
  [/\babout (?=\d)/, 'approximately '],
  [/\bapproximately\b/, 'about'],
  [/\bbegan\b/, 'started'],
  [/\bfounded\b/, 'established'],
  [/\bestablished\b/, 'founded'],
  [/\bbuilt\b/, 'constructed'],
  [/\bconstructed\b/, 'built'],
  [/\bbecause of\b/, 'due to'],
  [/\bdue to\b/, 'because of'],
  [/\blocated in\b/, 'situated in'],
  [/\bknown as\b/, 'called'],
  [/\bcalled\b/, 'known as'],
  [/\bmany\b/, 'numerous'],
  [/\bbig\b/, 'large'],
  [/\blarge\b/, 'sizeable'],
  [/\bsuch as\b/, 'including'],
  [/\bbecame\b/, 'turned into'],
  [/\bused\b/, 'employed'],
  [/\bimportant\b/, 'significant'],
  [/\bhowever, /i, ''],
  [/\busually\b/, 'generally'],
  [/\boften\b/, 'frequently'],
  [/\balso /, ''],
  [/\bfilms?\b/, 'movie'],
  [/\bshow(?:s|ed)?\b/, 'demonstrates'],
  [/\bfirst published\b/, 'first released'],
  [/\bcreated\b/, 'made'],
  [/\bproduces\b/, 'makes'],
  [/\breceived\b/, 'got'],
  [/\bmain\b/, 'principal'],
  [/\bseveral\b/, 'a number of'],
  [/\bbut\b/, 'yet'],
  [/\bwhile\b/, 'whereas'],
  [/\bimmediately\b/, 'at once'],
  [/\bprior to\b/, 'before'],
  [/\bin order to\b/, 'to'],
];
const SMALL = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const PASSIVE: [verb: string, past: string][] = [
  ['written', 'wrote'],
  ['founded', 'founded'],
  ['built', 'built'],
  ['designed', 'designed'],
  ['discovered', 'discovered'],
  ['invented', 'invented'],
  ['created', 'created'],
  ['developed', 'developed'],
  ['directed', 'directed'],
  ['produced', 'produced'],
  ['led', 'led'],
  ['performed', 'performed'],
];

type Rewording = (text: string, title: string) => string;

/** The transformations that the service lists, and templates of rewording. */
const REWORDINGS: readonly Rewording[] = [
  (text) =>
    text.replace(
      /(?<![\w.,])(\d{1,3})((?:,\d{3})+)(?![\d,])/,
      (_, head: string, rest: string) => head + rest.replaceAll(',', ''),
    ),
  (text) =>
    text.replace(
      new RegExp(`\\b(\\d{1,2}) (${MONTH}) (\\d{4})`),
      (_, day: string, month: string, year: string) => `${month} ${day}, ${year}`,
    ),
  (text) =>
    text.replace(
      new RegExp(`\\b(${MONTH}) (\\d{1,2}), (\\d{4})`),
      (_, month: string, day: string, year: string) =>
        `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`,
    ),
  (text) =>
    text.replace(
      /\b(\d+(?:\.\d+)?) (?:km|kilomet(?:re|er)s)\b(?! \()/,
      (_, value: string) => `${(Number(value) / 1.609344).toPrecision(3)} miles`,
    ),
  (text) =>
    text.replace(
      /\b(\d+(?:\.\d+)?) (?:m|met(?:re|er)s)\b(?! \()/,
      (_, value: string) => `${(Number(value) / 0.3048).toPrecision(3)} feet`,
    ),
  (text) => text.replace(/(\d)%/, '$1 percent'),
  (text) => text.replace(/(\d) percent\b/, '$1%'),
  (text) =>
    text.replace(/\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/, (word) =>
      String(SMALL.indexOf(word)),
    ),
  (text) => text.replace(/(?<![\w.,-])([2-9]|1[0-2])(?= [a-z])/, (digits) => SMALL[Number(digits)] ?? digits),
  (text) =>
    text.replace(
      /^In (\d{4}), (\w)(.*)\.$/,
      (_, year: string, first: string, rest: string) => `${first.toUpperCase()}${rest} in ${year}.`,
    ),
  (text) =>
    text.replace(
      /^(The|A|An|It|He|She|They) (.*) in (\d{4})\.$/,
      (_, first: string, rest: string, year: string) => `In ${year}, ${first.toLowerCase()} ${rest}.`,
    ),
  (text) => text.replace(/^(.+), which [^,]+\.$/, '$1.'),
  (text) => text.replace(/ \([^()]*\)/, ''),
  (text, title) => text.replace(/^(?:It|He|She) (?=is|was|has|had)/, `${title} `),
  (text) =>
    PASSIVE.reduce(
      (said, [verb, past]) =>
        said.replace(
          new RegExp(`^(The [\\w ]{3,30}) (?:was|were) ${verb} by ([A-Z][\\w ]{2,40}?)( in \\d{4})?\\.$`),
          (_, thing: string, by: string, when = '') =>
            `${by} ${past} ${thing.replace(/^The/, 'the')}${when}.`,
        ),
      text,
    ),
  (text) =>
    PASSIVE.reduce(
      (said, [verb, past]) =>
        said.replace(
          new RegExp(`^([A-Z][\\w ]{2,40}?) ${past} (the [\\w ]{3,30}?)( in \\d{4})?\\.$`),
          (_, by: string, thing: string, when = '') =>
            `${thing.replace(/^the/, 'The')} was ${verb} by ${by}${when}.`,
        ),
      text,
    ),
  ...SYNONYMS.map(
    ([from, to]): Rewording =>
      (text) =>
        text.replace(from, to),
  ),
];
const FRAMES: readonly Rewording[] = [
  (text) => text,
  (text) => text,
  (text) => `According to the article, ${lowerFirst(text)}`,
  (text) => `The source states that ${lowerFirst(text)}`,
  (text) => `It is reported that ${lowerFirst(text)}`,
];

/** The first letter of a word that has no capital of its own becomes small. */
const lowerFirst = (text: string): string =>
  text.replace(
    /^(?:The|A|An|In|It|He|She|They|This|These|There|At|On|By|For|During|After|Many|Some|All|One|Its|His|Their)\b/,
    (word) => word.toLowerCase(),
  );

/** Says a sentence in other words: up to three rewordings, perhaps in a frame. Null where none fits. */
function sayOtherwise({ text, title }: Pick<Sentence, 'text' | 'title'>, draw: Draw): string | null {
  let said = text;
  let changes = 0;
  for (const reword of shuffle(REWORDINGS, draw)) {
    const next = reword(said, title);
    if (next === said) continue;
    said = next;
    changes += 1;
    if (changes === 3) break;
  }
  if (changes === 0) return null;
  said = said.replace(/^\w/, (letter) => letter.toUpperCase());
  return drawFrom(FRAMES, draw)?.(said, title) ?? said;
}
