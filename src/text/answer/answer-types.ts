/** Groups of answers; a question asks for one of them or for none. English only: in other languages every question asks for none. */
export const ANSWER_GROUPS = [
  'quantity',
  'money',
  'duration',
  'count',
  'frequency',
  'time',
  'who',
  'where',
  'why',
  'verdict',
  'sense',
] as const;
type AnswerGroup = (typeof ANSWER_GROUPS)[number];

/** What a question asks for: texts that `holds` matches. `noun`: what is counted, in lower case. */
export type AskedAnswer = { group: AnswerGroup; holds: RegExp; noun: string | null };

const NUMBER =
  '(?:\\d[\\d.,]{0,12}|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|a hundred|hundred|thousand|million|billion|an?|half an?|half|several|dozen)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?)';
const TIME_UNITS =
  '(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|nights?|evenings?|decades?|centur(?:y|ies)|overnight)';
const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December';
const LENGTHS =
  'kilomet(?:er|re)s?|met(?:er|re)s?|centimet(?:er|re)s?|millimet(?:er|re)s?|miles?|feet|foot|inch(?:es)?|yards?|km|cm|mm|m|ft';
const AREAS = 'square|hectares?|acres?|sq';
const WEIGHTS = 'kilos?|kilograms?|kg|grams?|g|tonnes?|tons?|pounds?|lbs?|ounces?';

const matchUnits = (units: string): RegExp =>
  new RegExp(
    `\\b${NUMBER}(?: |-)?(?:and a half |million |thousand |billion )?(?:nautical )?(?:${units})(?![\\p{L}])`,
    'giu',
  );
const DURATION = new RegExp(
  `\\b${NUMBER}(?: |-)?(?:and a half )?(?:more |other )?${TIME_UNITS}(?!\\p{L})|\\bovernight\\b`,
  'giu',
);
const MONEY = new RegExp(
  `[£$€¥]\\s?\\d|\\b${NUMBER}(?: million| billion| thousand)?(?: |-)?(?:pounds?|pence|euros?|dollars?|cents?|francs?|yen|rupees?|kron(?:er|or)|USD|EUR|GBP)\\b|\\bfree (?:of charge|for|admission)|\\bfor (?:free|nothing)\\b`,
  'giu',
);
const TIME = new RegExp(
  `\\b(?:1\\d{3}|20\\d{2})s?\\b|\\b(?:${MONTHS})\\b|\\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b|\\b\\d{1,2}(?:st|nd|rd|th)\\b|\\b\\d{1,2}[:.]\\d{2}\\b|\\b(?:spring|summer|autumn|winter|morning|afternoon|evening|night|noon|midnight|yesterday|today|tomorrow|century|o'clock|bc|ad)\\b|\\b(?:after|before|within|until|by|at|from|every) (?:the age of )?(?!an?\\b|half an?\\b)${NUMBER}|\\b(?:after|before|within|until|by|every|in) (?:an?|the|half an?) ${TIME_UNITS}\\b|\\b(?:as soon as|after (?:every|each)|before (?:the|you)|once (?:the|you))\\b`,
  'giu',
);
const DAY = new RegExp(
  `\\b(?:${MONTHS})\\b|\\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b|\\b\\d{1,2}(?:st|nd|rd|th)\\b|\\b(?:daily|weekdays?|weekends?|today|tomorrow|yesterday|(?!(?:an?|per|each|every|the|one|same|that|this|next|all|any) )[a-z]{3,12} day)\\b`,
  'giu',
);
const FREQUENCY = new RegExp(
  `\\b(?:once|twice|daily|hourly|weekly|monthly|yearly|annually|always|never|seldom|rarely|often)\\b|\\b(?:every|each|per) (?:other |second |third |${NUMBER} )?(?:${TIME_UNITS}|spring|summer|autumn|winter|time|morning|evening|half)\\b|\\b(?:times|\\w{1,12}) an? (?:day|week|month|year|hour)\\b`,
  'giu',
);
const SPEED = new RegExp(
  `\\b${NUMBER}[^.;]{0,24}\\b(?:an|per|a) (?:hour|second|minute|day|year)\\b|\\b\\d{1,5} ?(?:km/h|mph|knots)\\b`,
  'giu',
);
const HEAT = matchUnits('degrees?|°[CF]?|celsius|fahrenheit|kelvin');
/** What is so far away, or so long, is not so high. */
const HEIGHT = new RegExp(
  `${matchUnits(LENGTHS).source}(?! (?:away|across|apart|from|long|wide|of (?:ascent|climbing))\\b)`,
  'giu',
);
const AGE = new RegExp(
  `\\b\\d{1,3}[- ]years?[- ]olds?\\b|\\bage[ds]? (?:of )?(?:${NUMBER})|, \\d{1,2}[,.]|\\b${NUMBER} (?:years?|months?|weeks?) old\\b|\\b(?:founded|built|dates?) [^.]{0,20}\\d{4}`,
  'giu',
);
/** A price is no count. */
const NUMERAL = new RegExp(
  `(?<![£$€¥] ?)(?<![\\d.,])\\b(?!an? )(?:${NUMBER})(?![\\p{L}\\d])|\\bnone\\b`,
  'giu',
);
/** A number with a unit counts that alone. */
const COUNT = new RegExp(
  `(?:${NUMERAL.source})(?! ?(?:${WEIGHTS}|${LENGTHS}|ml|lit(?:er|re)s?|degrees?)\\b)`,
  'giu',
);
const COMPANY =
  /\b(?:company|firm|brand|factory|manufacturer|Ltd|Inc|Corp|GmbH|AG|university|school|institute|college|band|by (?:the )?\p{Lu})/gu;
/** A name after one of these is that of a place, and these are no names of people. */
const PLACED =
  /\b(?:in|at|near|between|from|over|through|below|above|along|under|into|towards|outside|(?:village|town|city|district|river|county|church|lake) of) (?:the )?(?:\p{Lu}\p{L}{1,14}(?:, | and ))?$/u;
const NO_NAME =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|The|This|That|It|He|She|They|In|On|At|From|Until|After|Before|When|Its?|His|Her|Their)\b/;
/** A capitalised word inside a sentence, or two at its beginning. */
const NAME =
  /(?<=[\p{Ll}\p{N},;:()–—-][ "'“‘(]{1,3})\p{Lu}[\p{L}\p{M}]+|(?<!\p{L})\p{Lu}[\p{L}\p{M}]{1,30} \p{Lu}[\p{L}\p{M}]+/gu;
const WHO =
  /(?<=[\p{Ll}\p{N},;:()–—-][ "'“‘(]{1,3})\p{Lu}[\p{L}\p{M}]+|(?<!\p{L})\p{Lu}[\p{L}\p{M}]{1,30} \p{Lu}[\p{L}\p{M}]+|\b(?:family|brothers?|sisters?|council|trust|club|service|company|student|volunteers?|staff|owners?|members?|supplier|villagers|carpenters|workers|people|crews?)\b/gu;
const PLACE = new RegExp(
  `\\b(?:in|at|on|near|beside|behind|opposite|outside|from|to|under|below|above|between|along|inside|around|off|of) (?:the |its |her |his |their )?(?!${MONTHS}|(?:an?|half|one|two|three|four|five|six|seven|eight|nine|ten|(?:mon|tues|wednes|thurs|fri|satur|sun)day|spring|summer|autumn|winter|morning|afternoon|evening|night|day|week|month|year|time|order|addition|fact|course)s?\\b)\\p{L}`,
  'giu',
);
const REASON =
  /\b(?:because|since (?!then\b|\d)|so that|so as|in order|to (?:protect|avoid|prevent|spare|save|keep|make|reduce|help|be)|for (?:reasons?|fear)|due to|owing to|on account|therefore|thus|hence|so|otherwise|or|wanted|result(?:ed|s)?|caus(?:ed?|es|ing)|led to|thanks to|would|after|struck|died (?:[^.;]{1,30} )?(?:of|from)|where (?:it|they))\b|, as\b|: /giu;
const VERDICT =
  /\b(?:not|no|never|nobody|nothing|only|must|may|can|cannot|should|need|allowed|permitted|forbidden|banned|prohibited|welcome|possible|accepted|closed|required|yes|always|any)\b|n['’]t\b/giu;

/** A sentence that says what something is. */
const SENSE =
  /^(?:an? |the )?[\p{L}\p{N}][\p{L}\p{N}'’() -]{1,60}?\b(?:is|are|was|were|means?|refers? to|denotes?|describes?) (?:an?|the|any|one|what|when)\b/giu;

const TIMED_NOUNS =
  'trip|journey|ride|drive|walk|hike|crossing|flight|wait|course|film|concert|play|show|performance|class|lesson|visit|tour|stay|season|term|warranty|guarantee|contract|lease|period|delay|break|war|reign|life|loan|process|training';

const PLACED_CHARS = 34;
/** What answers such a question has a form of its own: a sentence without it does not answer. */
export const FORMED_GROUPS: ReadonlySet<AnswerGroup> = new Set([
  'quantity',
  'money',
  'duration',
  'count',
  'frequency',
  'time',
  'who',
  'where',
]);

/** The first of these that matches a question says what it asks for. */
const TYPES: { asks: RegExp; group: AnswerGroup; holds: RegExp }[] = [
  { group: 'why', asks: /\bwhy\b|\breasons?\b|\bcause[ds]?\b|\bwhat for\b/i, holds: REASON },
  { group: 'frequency', asks: /\bhow (?:often|frequent)/i, holds: FREQUENCY },
  {
    group: 'duration',
    asks: new RegExp(
      `\\bhow (?:many|much) (?:more )?(?:${TIME_UNITS}|time)\\b|\\b(?:for )?how long (?:may|must|do|does|did|will|would|can|could|should|shall|has|have|had|(?:is|are|was) (?:the |an? |this )?(?:\\w{1,20} )?(?:${TIMED_NOUNS}))`,
      'i',
    ),
    holds: DURATION,
  },
  { group: 'quantity', asks: /\bhow old\b|\b(?:what|which) age\b/i, holds: AGE },
  { group: 'quantity', asks: /\bhow (?:warm|hot|cold)\b|\btemperature\b/i, holds: HEAT },
  { group: 'quantity', asks: /\bhow (?:fast|quick)|\bspeed\b/i, holds: SPEED },
  {
    group: 'quantity',
    asks: /\bhow heavy\b|\bhow much .{1,40}\bweighs?\b|\bweight of\b/i,
    holds: matchUnits(WEIGHTS),
  },
  {
    group: 'quantity',
    asks: /\bhow high\b/i,
    holds: new RegExp(`${HEIGHT.source}|${matchUnits('degrees?|%|per ?cent').source}|${MONEY.source}`, 'giu'),
  },
  {
    group: 'quantity',
    asks: /\bhow (?:tall|deep)\b|\b(?:what|which|maximum|minimum) (?:is the )?(?:depth|height)\b/i,
    holds: HEIGHT,
  },
  {
    group: 'quantity',
    asks: /\bhow (?:wide|far|broad|thick)\b|\b(?:what|which|maximum|minimum) (?:is the )?(?:width|distance|length)\b/i,
    holds: matchUnits(LENGTHS),
  },
  {
    group: 'quantity',
    asks: /\bhow long\b/i,
    holds: matchUnits(`${LENGTHS}|${TIME_UNITS}`),
  },
  {
    group: 'quantity',
    asks: /\bhow (?:large|big|accurate|strong|loud|steep)\b|\bpercent(?:age)?\b/i,
    holds: new RegExp(
      `${matchUnits(`${LENGTHS}|${AREAS}|degrees?|%|per ?cent|lit(?:er|re)s?|watts?|volts?`).source}|${MONEY.source}`,
      'giu',
    ),
  },
  {
    group: 'money',
    asks: /\bhow much (?:do|does|did|is|are|was|were|money|will|must|should|would|can|could|profit|rent)\b|\b(?:costs?|priced?|prices|fees?|fares?|charge[ds]?|earn(?:s|ed)?|salar(?:y|ies)|paid|fine[ds]?)\b/i,
    holds: MONEY,
  },
  {
    group: 'quantity',
    asks: new RegExp(`\\bhow many (?:${WEIGHTS}|${LENGTHS}|lit(?:er|re)s?)\\b`, 'i'),
    holds: matchUnits(`${WEIGHTS}|${LENGTHS}|lit(?:er|re)s?`),
  },
  { group: 'count', asks: /\bhow many \p{L}/iu, holds: COUNT },
  { group: 'count', asks: /\bhow much \p{L}|\bnumber of \p{L}|\bpopulation\b/iu, holds: NUMERAL },
  { group: 'time', asks: /\b(?:what|which) days?\b/i, holds: DAY },
  {
    group: 'time',
    asks: /\bwhen\b|\b(?:what|which) (?:year|date|month|decade|century|time|season|age)\b|\bdeadline\b/i,
    holds: TIME,
  },
  {
    group: 'who',
    asks: /\bwho(?:se|m)?\b|\b(?:what|which) (?:person|actor|actress|singer|president|king|queen|author|team)\b/i,
    holds: WHO,
  },
  {
    group: 'who',
    asks: /\b(?:what|which) (?:company|firm|brand|band|school|university|organi[sz]ation|institution)\b/i,
    holds: COMPANY,
  },
  {
    group: 'who',
    asks: /\bwhat (?:is|was|are|were) the names?\b|\bcalled\b|\b(?:what|which) (?:newspaper|variety|ship)\b/i,
    holds: NAME,
  },
  {
    group: 'where',
    asks: /\bwhere\b|\b(?:what|which) (?:city|country|state|place|county|region|continent|town|river|street|island|village)\b/i,
    holds: PLACE,
  },
  {
    group: 'verdict',
    asks: /^(?:is|are|was|were|can|could|may|must|should|will|would|do|does|did|has|have|am)\b/i,
    holds: VERDICT,
  },
  {
    group: 'sense',
    asks: /^(?:what(?:'s|’s| is| are) (?:an? |the )?[^,]{2,40}$|how (?:does|do) .{2,40} work\b|what does .{2,40} (?:mean|do)\b|define\b)|\bmeaning of\b/i,
    holds: SENSE,
  },
];
const COUNTED =
  /\bhow (?:many|much) (?:more |other |of the |different )?([\p{L}-]+)|\bnumber of ([\p{L}-]+)/iu;

/** Reads what a question asks for; null when no pattern says it. */
export function readAskedAnswer(question: string): AskedAnswer | null {
  const type = TYPES.find(({ asks }) => asks.test(question.trim()));
  if (type === undefined) return null;
  const [, many, number] = (type.group === 'count' ? COUNTED.exec(question) : null) ?? [];
  const noun = many ?? number;
  return {
    group: type.group,
    holds: type.holds,
    noun: noun?.toLowerCase() ?? null,
  };
}

/** Finds the answers of the type asked for in a text, without those whose words are all in the question; what something is begins with its name. */
export function findAnswers(
  { group, holds }: AskedAnswer,
  text: string,
  asked: ReadonlySet<string>,
): { start: number; end: number }[] {
  return [...text.matchAll(holds)].flatMap(({ 0: found, index }) => {
    const words = found.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const isNew = group === 'sense' || words.length === 0 || words.some((word) => !asked.has(word));
    const isOther =
      group === 'who' &&
      (NO_NAME.test(found) || PLACED.test(text.slice(Math.max(0, index - PLACED_CHARS), index)));
    return isNew && !isOther ? [{ start: index, end: index + found.length }] : [];
  });
}
