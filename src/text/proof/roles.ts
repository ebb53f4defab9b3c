/**
 * Finds who does what to whom in a sentence, as far as the order of its words tells: the two sides of a verb in the active or with `by`, of
 * a comparison, of `the head of`, of a way from one thing to another. English alone; a verb that says the same both ways (`met`) has no
 * roles.
 */

import { isStopWord } from '../words/stop-words.ts';
import { tokenizeWords } from '../words/words.ts';

/**
 * Finds the word of a statement around which its source has the same two things in each other's place: `bought` in `Beta bought Acme` for
 * `Acme bought Beta`. Null if there is none.
 */
export function findSwappedRoles(statement: readonly string[], source: readonly string[]): string | null {
  const said = statement.flatMap(readRelations);
  if (said.length === 0) return null;
  const known = source.flatMap(readRelations);
  for (const { key, word, one, other } of said) {
    const same = known.filter((relation) => relation.key === key);
    if (same.length === 0) continue;
    if (isSwapped(one.name, other.name, same) || isSwapped(one.noun, other.noun, same)) return word;
  }
  return null;
}

/** Returns whether a source has each of two things next to the word on the other's side, and nowhere has both as they are. */
function isSwapped(from: readonly string[], to: readonly string[], same: readonly Relation[]): boolean {
  const isOn =
    ({ all }: Side) =>
    (term: string) =>
      all.has(term);
  if (same.some(({ one, other }) => from.every(isOn(one)) && to.every(isOn(other)))) return false;
  const isNear = ({ noun, name }: Side, own: Side, terms: readonly string[]): boolean =>
    terms.some((term) => !own.all.has(term) && (noun.includes(term) || name.includes(term)));
  return same.some(({ one, other }) => isNear(other, one, from) && isNear(one, other, to));
}

/** `key`: what is said, in one spelling for both voices. */
type Relation = { key: string; word: string; one: Side; other: Side };
/** The terms of the noun nearest to the word, those of the nearest name, and every term on that side. */
type Side = { noun: string[]; name: string[]; all: ReadonlySet<string> };

type Token = { word: string; term: string; isCapital: boolean; isBroken: boolean };

const TOKENS_MAX = 80;
/** Words between a form of `be` and its participle, or between that and `by`. */
const REACH = { be: 3, by: 6 };
const BE = new Set("is are was were be been being am 's gets got".split(' '));
const DETERMINERS = new Set(
  'a an the this that these those its his her their our my your some any no each every'.split(' '),
);
const RELATIVES = new Set('which who whom whose while whereas'.split(' '));
const MODALS = new Set('can could will would may might shall should must to did does do'.split(' '));

/** Forms that a stem does not join, and other verbs that say the same in the same direction; the first word stands for all. */
const FORMS = `
buy bought purchase acquire
sell sold
beat beaten defeat
write wrote written author
build built construct erect
found establish
make made create produce
kill slay slain murder
win won
lose lost
lead led
take took taken
give gave given
teach taught
send sent
bring brought
choose chose chosen
draw drew drawn
drive drove driven
eat ate eaten
fly flew flown
forbid forbade forbidden
grow grew grown
hold held
keep kept
leave left
lend lent
outrun outran
overtake overtook overtaken
overthrow overthrew overthrown
pay paid
ride rode ridden
run ran
see saw seen
seek sought
shoot shot
show shown
speak spoke spoken
steal stole stolen
strike struck
tell told
throw threw thrown
become became
break broke broken
catch caught
hide hid hidden
hear heard
wear wore worn
`;
/** Further verbs, to be known in the present too. */
const VERBS = `accuse admire advise appoint arrest attack attract beg betray bite block blame cause chase collect command conquer contain
control copy criticize cross damage describe design destroy direct discover donate elect employ enter exceed exclude execute exploit export
feed find fund govern guard guide hate help hire hit hunt hurt import include influence inform inherit inspire introduce invade invent invite
join judge launch love manage measure obey operate oppose orbit order outrank overlook owe own paint perform persuade possess precede prevent
promote protect prove publish punish raise reach receive record release replace represent rescue rob rule save serve sponsor study succeed
sue supply support surround surpass threaten train translate treat trust visit warn watch worship`;
/** Verbs that say the same of both sides, or give something its name. */
const MUTUAL = new Set(
  tokenizeWords(
    'meet met marry married border merge resemble equal match face play collaborate share connect link combine compare differ coincide relate cooperate compete fight fought agree divorce date tie intersect adjoin neighbor neighbour correspond interact call name know known refer term title dub nickname add follow locate',
    null,
  ),
);
/** Words that end like a past form and are none. */
const NO_VERBS = new Set('need indeed speed seed breed hundred sacred naked wicked'.split(' '));
const BASES = indexForms();
const LISTED = new Set([...BASES.keys(), ...tokenizeWords(VERBS, null)]);

/** Maps the stem of each form to that of the first of its line. */
function indexForms(): ReadonlyMap<string, string> {
  const lines = FORMS.trim()
    .split('\n')
    .map((line) => line.split(' ').map(toTerm));
  return new Map(lines.flatMap(([base = '', ...forms]) => [base, ...forms].map((form) => [form, base])));
}

function toTerm(word: string): string {
  return tokenizeWords(word, null)[0] ?? word;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:[-.&][\p{L}\p{N}]+)*(?:['’]s)?/gu;

function readTokens(sentence: string): Token[] {
  let end = 0;
  return [...sentence.matchAll(WORD)].slice(0, TOKENS_MAX).map(({ index, 0: shown }) => {
    const between = sentence.slice(end, index);
    end = index + shown.length;
    const bare = shown.replace(/['’]s$/u, '');
    return {
      word: bare.toLowerCase(),
      term: toTerm(bare.toLowerCase()),
      isCapital: /^\p{Lu}/u.test(shown),
      isBroken: /[^\s"“”'’]/u.test(between),
    };
  });
}

function readRelations(sentence: string): Relation[] {
  const tokens = readTokens(sentence);
  return tokens.flatMap((_, at) => [
    ...(readVerb(tokens, at) ?? []),
    ...(readComparison(tokens, at) ?? []),
    ...(readHeadOf(tokens, at) ?? []),
    ...(readWay(tokens, at) ?? []),
  ]);
}

/** Reads a verb with the one who acts first, whatever the voice. */
function readVerb(tokens: readonly Token[], at: number): Relation[] | null {
  const { word = '', term = '' } = tokens[at] ?? {};
  if (!isVerb(tokens, at) || MUTUAL.has(term)) return null;
  const base = BASES.get(term) ?? term;
  const isPast = isPastForm(word, term);
  const isPassive = isPast && findBe(tokens, at) !== null;
  const by = isPast ? findBy(tokens, at, isPassive ? REACH.by : 1) : null;
  const [left, right] = [tokens.slice(0, at), tokens.slice((by ?? at) + 1)];
  const [before, behind] = [toLeftSide(left), toRightSide(right)];
  if (by !== null) return [{ key: `verb ${base}`, word, one: behind, other: before }];
  return [{ key: `${isPassive ? 'state' : 'verb'} ${base}`, word, one: before, other: behind }];
}

const isPastForm = (word: string, term: string): boolean =>
  (/(?:[^e]ed|[^n]eed)$/.test(word) && word.length > 4) ||
  (BASES.has(term) && !/(?:s|ing)$/.test(word) && BASES.get(term) !== term);

function isVerb(tokens: readonly Token[], at: number): boolean {
  const { word = '', term = '', isCapital = false } = tokens[at] ?? {};
  if (at === 0 || isCapital || isStopWord(toTerm(word)) || NO_VERBS.has(word)) return false;
  const before = tokens[at - 1]?.word ?? '';
  const behind = tokens[at + 1];
  if (DETERMINERS.has(before) || behind?.word === 'of') return false;
  if (/(?:[^e]ed)$/.test(word) && word.length > 4) return true;
  if (LISTED.has(term)) return true;
  if (MODALS.has(before)) return true;
  const isThird = /[^su]s$/.test(word) && word.length > 3;
  return isThird && behind !== undefined && (DETERMINERS.has(behind.word) || behind.isCapital);
}

function findBe(tokens: readonly Token[], at: number): number | null {
  for (let back = at - 1; back >= Math.max(0, at - REACH.be); back -= 1) {
    const { word = '' } = tokens[back] ?? {};
    if (BE.has(word)) return back;
    if (
      !/ly$/.test(word) &&
      !isStopWord(toTerm(word)) &&
      !/^(?:first|later|also|originally|once)$/.test(word)
    )
      return null;
  }
  return null;
}

function findBy(tokens: readonly Token[], at: number, reach: number): number | null {
  for (let next = at + 1; next <= at + reach; next += 1) {
    if (tokens[next] === undefined || (next > at + 1 && isVerb(tokens, next))) return null;
    if (tokens[next]?.word === 'by') return next;
  }
  return null;
}

/** Reads `larger than`, `more people than`. */
function readComparison(tokens: readonly Token[], at: number): Relation[] | null {
  const measure = tokens[at - 1];
  if (tokens[at]?.word !== 'than' || measure === undefined) return null;
  const one = toLeftSide(tokens.slice(0, at - 1));
  const other = toRightSide(tokens.slice(at + 1));
  return [{ key: `than ${measure.term}`, word: `${measure.word} than`, one, other }];
}

/** Reads `Sarn is the capital of Corvane` and `The capital of Corvane is Sarn`, with Sarn first. */
function readHeadOf(tokens: readonly Token[], at: number): Relation[] | null {
  const head = tokens[at];
  if (head === undefined || isStopWord(head.term) || tokens[at + 1]?.word !== 'of') return null;
  const key = `of ${head.term}`;
  const { word } = head;
  const be = findLast(tokens, at);
  const rest = tokens.slice(at + 2);
  if (be !== null)
    return [{ key, word: `${word} of`, one: toLeftSide(tokens.slice(0, be)), other: toRightSide(rest) }];
  const next = rest.findIndex((one) => BE.has(one.word));
  if (next === -1) return null;
  const other = toRightSide(rest.slice(0, next));
  return [{ key, word: `${word} of`, one: toRightSide(rest.slice(next + 1)), other }];
}

/** Finds the form of `be` whose complement a noun is: `is the old capital`. */
function findLast(tokens: readonly Token[], at: number): number | null {
  for (let back = at - 1; back >= Math.max(0, at - 4); back -= 1)
    if (BE.has(tokens[back]?.word ?? '')) return back;
  return null;
}

/** Reads `from Sarn to Corvane`. */
function readWay(tokens: readonly Token[], at: number): Relation[] | null {
  if (tokens[at]?.word !== 'from') return null;
  const to = tokens.findIndex(({ word }, place) => place > at + 1 && word === 'to');
  if (to === -1) return null;
  const one = toRightSide(tokens.slice(at + 1, to));
  return [{ key: 'from to', word: 'from', one, other: toRightSide(tokens.slice(to + 1)) }];
}

const toLeftSide = (tokens: readonly Token[]): Side => toSide(listRuns(tokens).reverse());

/** What is said of the last thing of a side is no part of it. */
function toRightSide(tokens: readonly Token[]): Side {
  const end = tokens.findIndex(({ word }) => RELATIVES.has(word));
  return toSide(listRuns(end === -1 ? tokens : tokens.slice(0, end)));
}

function toSide(runs: readonly Token[][]): Side {
  const named = runs.find((run) => run.some(({ isCapital }) => isCapital)) ?? [];
  const toTerms = (run: readonly Token[]): string[] => run.map(({ term }) => term);
  return {
    noun: toTerms(runs[0] ?? []),
    name: toTerms(named.filter(({ isCapital }) => isCapital)),
    all: new Set(toTerms(runs.flat())),
  };
}

/** Lists the runs of words between function words and marks. */
function listRuns(tokens: readonly Token[]): Token[][] {
  const runs: Token[][] = [];
  let isOpen = false;
  for (const token of tokens) {
    const isEmpty = isStopWord(token.term) || DETERMINERS.has(token.word);
    if (isEmpty) isOpen = false;
    else if (isOpen && !token.isBroken) runs.at(-1)?.push(token);
    else {
      runs.push([token]);
      isOpen = true;
    }
  }
  return runs;
}
