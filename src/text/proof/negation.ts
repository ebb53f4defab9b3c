/** Words that deny what their sentence says, in the languages that the service knows best. */
const DENIALS =
  /(?<![\p{L}\p{N}])(?:not|cannot|no(?!\.?\s?\d)|never|none|nor|neither|nobody|nothing|nowhere|without|lacks?|lacked|lacking|fails? to|failed to|unable|refused?|refuses|denied|denies|nicht|kein(?:e[nrms]?)?|niemals|ohne|weder|pas|jamais|aucune?|sans|nunca|jamás|ningun[oa]?|ningún|не|нет|никогда|без|não|nenhuma?|sem|non|senza|nessun[oa]?|niet|geen|nooit|zonder)(?![\p{L}\p{N}])|(?<=\p{L})n['’]t(?![\p{L}\p{N}])|不(?![同过仅断動动])|没有|沒有|无法|無法|ない|ません|なかった/giu;

/** Pairs of words of which one says the contrary of the other, by their stems in English. */
const OPPOSITES: readonly (readonly [one: string, other: string])[] = [
  [
    'increas(?:e[sd]?|ing)|rose|rises?|risen|grew|grows?|grown',
    'decreas(?:e[sd]?|ing)|fell|falls?|fallen|declin(?:e[sd]?|ing)|shrank|shrinks?|dropp?(?:ed|s)?',
  ],
  ['more|higher|greater|larger|bigger', 'less|lower|fewer|smaller'],
  ['above|over|exceed(?:s|ed|ing)?', 'below|under|beneath'],
  ['before|prior to', 'after|following|since'],
  ['first|earliest', 'last|latest|second|final'],
  ['northern?|north', 'southern?|south'],
  ['eastern?|east', 'western?|west'],
  [
    'highest|largest|biggest|tallest|longest|most|maximum|maximal|max',
    'lowest|smallest|shortest|least|minimum|minimal|min',
  ],
  ['always', 'never|sometimes|rarely|seldom'],
  ['all|every', 'none|no|some'],
  ['present', 'absent'],
  ['includ(?:e[sd]?|ing)', 'exclud(?:e[sd]?|ing)'],
  [
    'allow(?:s|ed|ing)?|permit(?:s|ted|ting)?',
    'forbid(?:s|den)?|forbade|prohibit(?:s|ed|ing)?|prevent(?:s|ed|ing)?|ban(?:s|ned)?',
  ],
  ['accept(?:s|ed|ing)?', 'reject(?:s|ed|ing)?|refus(?:e[sd]?|ing)'],
  ['won|wins?', 'lost|loses?'],
  [
    'begin(?:s|ning)?|began|begun|start(?:s|ed|ing)?|opened|opens?',
    'end(?:s|ed|ing)?|finish(?:es|ed|ing)?|closed|closes?|stop(?:s|ped|ping)?',
  ],
  ['born', 'died|dead'],
  ['true|correct', 'false|incorrect|wrong'],
  ['same|identical', 'different'],
  ['possible|able', 'impossible|unable'],
  ['male|man|men|boys?|he|his', 'female|woman|women|girls?|she|her'],
  ['left', 'right'],
  ['positive(?:ly)?', 'negative(?:ly)?'],
  ['enabled?|enables', 'disabled?|disables'],
  ['success(?:ful|fully)?|succeed(?:s|ed)?', 'unsuccessful(?:ly)?|fail(?:s|ed|ure)?'],
  ['improv(?:e[sd]?|ing|ement)', 'worsen(?:s|ed|ing)?|deteriorat(?:e[sd]?|ing)'],
  ['support(?:s|ed)?', 'oppos(?:e[sd]?)'],
  ['buy|buys|bought', 'sell|sells|sold'],
  ['import(?:s|ed)?', 'export(?:s|ed)?'],
  ['public', 'private'],
  ['old(?:er|est)?', 'young(?:er|est)?|new(?:er|est)?'],
];
const PATTERNS = OPPOSITES.flatMap(([one, other]) => [
  { said: toPattern(one), contrary: toPattern(other) },
  { said: toPattern(other), contrary: toPattern(one) },
]);

function toPattern(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'iu');
}

/** Lists the denying words of a text, in lower case. */
export function listDenials(text: string): string[] {
  return [...text.matchAll(DENIALS)].map(([word]) => word.toLowerCase());
}

/**
 * Finds a word of a statement whose contrary stands in its source while the word itself does not: `rose` for `fell`. Null if there is
 * none.
 */
export function findContrary(statement: string, source: string): string | null {
  for (const { said, contrary } of PATTERNS) {
    const word = said.exec(statement)?.[0];
    if (word !== undefined && !contrary.test(statement) && contrary.test(source) && !said.test(source))
      return word;
  }
  return null;
}
