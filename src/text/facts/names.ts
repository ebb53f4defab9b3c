import { computeRarity } from '../scoring/rarity.ts';
import { isStopWord } from '../words/stop-words.ts';
import { tokenizeWords } from '../words/words.ts';

/** A named thing as written in a text, without quotation marks. */
export type Name = { text: string; start: number; end: number };

const QUOTED =
  /["“”„]([^"“”„\n]{2,80})["“”]|«\s?([^«»\n]{2,80}?)\s?»|「([^「」\n]{1,60})」|『([^『』\n]{1,60})』|《([^《》\n]{1,60})》|`([^`\n]{2,80})`/gu;
/** Matches words and identifiers without surrounding punctuation. */
const TOKEN =
  /(?:--?(?=\p{L})|[@#$.](?=[\p{L}\p{N}]))?[\p{L}\p{N}][\p{L}\p{N}\p{M}_]*(?:(?:::|[.'’&/_-])[\p{L}\p{N}\p{M}_]+)*(?:\+\+|#)?/gu;
const IDENTIFIER =
  /[\p{L}\p{N}](?:::|[._/])[\p{L}\p{N}]|\p{Ll}\p{Lu}|\p{L}(?:\+\+|#)$|^--?\p{L}|^[@#$]\p{L}/u;
const VERSION = /^v?\d+(?:\.\d+)*(?:[-.]?(?:x|rc\d*|beta\d*|alpha\d*|lts))?$/i;
/** Matches a run of katakana with the few Han characters attached to it, such as 塔 in エッフェル塔. */
const KATAKANA =
  /(?:(?![何約数各])\p{Script=Han}){0,3}[\p{Script=Katakana}ー][\p{Script=Katakana}ー・]{2,}\p{Script=Han}{0,2}/gu;
const KATAKANA_UNITS = /(?:メートル|キロ|グラム|トン|ドル|ユーロ|パーセント|リットル|ポンド)/u;
/** Small words inside names: `Haymo of Faversham`, `Ludwig van Beethoven`. */
const CONNECTORS = new Set('of the de la le du des del di da von van der den ter bin al y zu'.split(' '));
/** Articles, which are not part of a name at the beginning of a sentence. */
const ARTICLES = /^(?:der|die|das|den|ein|eine|le|la|les|une?|el|los|las|il|lo|gli|o|os|het|een)$/iu;
const NAMES_MAX = 24;
const NAME_WORDS_MAX = 8;
/** Above this share of capitalised words, case says nothing about names. */
const CAPITALS_SHARE_MAX = 0.75;
const CAPITALS_WORDS_MIN = 5;

type Token = { text: string; start: number; end: number; startsSentence: boolean };

/** Extracts the names in a text, in order: quoted phrases, identifiers, capitalised words with their versions, runs of katakana. */
export function extractNames(text: string): Name[] {
  const quoted = [...text.matchAll(QUOTED)].map((match): Name => {
    const inner = match.slice(1).find((group) => group !== undefined) ?? '';
    return { text: inner.trim(), start: match.index, end: match.index + match[0].length };
  });
  const katakana = [...text.matchAll(KATAKANA)]
    .filter(([run]) => !KATAKANA_UNITS.test(run))
    .map(({ 0: run, index }): Name => ({ text: run, start: index, end: index + run.length }));
  const rest = maskNames(text, quoted);
  const runs = findCapitalRuns(tokenizeText(rest), rest);
  return [...quoted, ...katakana, ...runs]
    .filter(({ text: name }) => /[\p{L}\p{N}]/u.test(name))
    .sort((one, other) => one.start - other.start)
    .slice(0, NAMES_MAX);
}

/** Replaces names already taken by commas, which keeps all offsets. */
function maskNames(text: string, taken: readonly Name[]): string {
  let out = text;
  for (const { start, end } of taken) out = out.slice(0, start) + ','.repeat(end - start) + out.slice(end);
  return out;
}

function tokenizeText(text: string): Token[] {
  return [...text.matchAll(TOKEN)].map(({ 0: piece, index }) => {
    const bare = piece.replace(/(?:['’]s)$/u, '');
    const before = text.slice(Math.max(0, index - 3), index);
    return {
      text: bare,
      start: index,
      end: index + bare.length,
      startsSentence: index === 0 || /(?:^|[.?!:\n]|[-*]\s)\s{0,3}$/.test(before),
    };
  });
}

function findCapitalRuns(tokens: readonly Token[], text: string): Name[] {
  const words = tokens.filter(({ text: word }) => /^\p{L}/u.test(word));
  const capitals = words.filter(({ text: word }) => /^\p{Lu}/u.test(word)).length;
  const isCaseTelling =
    words.length < CAPITALS_WORDS_MIN || capitals / Math.max(1, words.length) <= CAPITALS_SHARE_MAX;
  const names: Name[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const last = findRunEnd(tokens, at, { text, isCaseTelling });
    const [head, tail] = [tokens[at], tokens[last]];
    if (last < at || head === undefined || tail === undefined) continue;
    names.push({ text: text.slice(head.start, tail.end), start: head.start, end: tail.end });
    at = last;
  }
  return names;
}

type CaseOf = { text: string; isCaseTelling: boolean };

/** Finds the index of the last token of the name that begins at `first`; `first - 1` if none begins there. */
function findRunEnd(tokens: readonly Token[], first: number, { text, isCaseTelling }: CaseOf): number {
  const head = tokens[first];
  if (head === undefined || !canBeginName(head, tokens[first + 1], { text, isCaseTelling })) return first - 1;
  let last = first;
  for (let at = first + 1; at < Math.min(tokens.length, first + NAME_WORDS_MAX); at += 1) {
    const [before, token] = [tokens[at - 1], tokens[at]];
    if (
      before === undefined ||
      token === undefined ||
      !canContinueName(before, text.slice(before.end, token.start))
    )
      break;
    if (isCapital(head) && isCapital(token) && isCaseTelling) last = at;
    else if (VERSION.test(token.text) && last === at - 1) last = at;
    else if (!isCapital(head) || !CONNECTORS.has(token.text)) break;
  }
  return last;
}

/** Returns whether a name may continue: after a space, or after the full stop of an initial. */
const canContinueName = ({ text: word }: Token, between: string): boolean =>
  between === ' ' || (between === '. ' && /^(?:\p{Lu}\.)*\p{Lu}$/u.test(word));

function canBeginName(token: Token, next: Token | undefined, { text, isCaseTelling }: CaseOf): boolean {
  const { text: word, startsSentence } = token;
  if (IDENTIFIER.test(word)) return true;
  const version = next !== undefined && text.slice(token.end, next.start) === ' ' && isVersion(next.text);
  if (version && /^\p{L}/u.test(word) && !isCommon(word)) return true;
  if (!isCaseTelling || !isCapital(token)) return false;
  const isInitial = next !== undefined && isCapital(next) && text.slice(token.end, next.start) === '. ';
  if (isInitial && word.length === 1) return true;
  if (isStopWord(word.toLowerCase().replace(/['’].*$/s, ''))) return false;
  if (!startsSentence) return true;
  if (ARTICLES.test(word) || isParticiple(word)) return false;
  const nextIsCapital = next !== undefined && isCapital(next) && text.slice(token.end, next.start) === ' ';
  return nextIsCapital ? !isAsking(word) : !isCommon(word);
}

/** `Starring`, `Directed`: a participle that begins a sentence is not part of the name after it. */
function isParticiple(word: string): boolean {
  const [term] = tokenizeWords(word, 'en');
  return /(?:ing|ed)$/.test(word) && term !== word.toLowerCase();
}

const isCapital = ({ text }: Token): boolean => /^\p{Lu}/u.test(text);
const isVersion = (word: string): boolean => VERSION.test(word) && !/^(?:1[5-9]|20)\d\d$/.test(word);
const isAsking = (word: string): boolean =>
  /^(?:compare|explain|describe|list|find|show|give|tell|name|wer|was|wann|wo|wie|warum|welche[rsnm]?|qui|que|quel(?:le)?s?|comment|pourquoi|quand|quién|qué|cómo|cuál(?:es)?|cuándo|dónde|кто|что|когда|где|как|какой|какая|почему)$/iu.test(
    word,
  );

/** Returns whether a word is among the most common in English, and so names nothing by itself. */
function isCommon(word: string): boolean {
  const [term] = tokenizeWords(word, 'en');
  return term === undefined || isStopWord(term) || computeRarity(term) < 1 || isAsking(word);
}
