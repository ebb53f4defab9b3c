import type { Chunk, ScoredChunk } from '../chunk/chunk-markdown.ts';
import { measureLinkShare } from '../passages/link-share.ts';
import { scorePassages } from '../passages/score-passages.ts';
import type { Query } from '../query/read-query.ts';

const DIGITS = 10_000;
/**
 * Lists of links describe other pages: with a share of link text of `from` or more a chunk counts less, from `to` on only `least`.
 */
const LINKS = { from: 0.5, to: 0.85, least: 0.15 };

/** Version notes tell when something changed, rarely how it works: a chunk that consists mostly of them counts half. */
const VERSION_NOTES = { from: 0.5, worth: 0.5 };
const VERSION_NOTE =
  /^[\s>*_-]{0,8}(?:(?:changed|new|removed|added) in version|deprecated since|added in:? v\d)/i;
const ASKS_FOR_VERSION =
  /\b(?:versions?|releases?d?|since|chang(?:e|es|ed)|deprecated|removed|new in|added)\b/i;

/**
 * Adds to the chunks of one page a score from 0 to 1 for the query, comparable between the pages of one search; `language` (BCP 47)
 * is guessed when null. All are 0 when no chunk matches the query or it is empty.
 */
export function scoreChunks(chunks: readonly Chunk[], query: Query, language: string | null): ScoredChunk[] {
  const scores = scorePassages(chunks, query, language);
  const worths = computeWorths(chunks);
  const noted = ASKS_FOR_VERSION.test(query.text) ? 1 : VERSION_NOTES.worth;
  const scored = chunks.map((chunk, place) => {
    const { links, isNotes } = worths[place] ?? { links: 1, isNotes: false };
    const { score = 0, words = 0, does = 0 } = scores[place] ?? {};
    const worth = links * (isNotes ? noted : 1);
    return { ...chunk, score: Math.round(score * worth * DIGITS) / DIGITS, words: words * worth, does };
  });
  const defines = createDefinitionMatcher(query);
  return defines === null ? scored : boostDefinitions(scored, defines);
}

/** Boosts definitions of the query's subject to the top score; the other chunks score at least slightly less. */
function boostDefinitions(scored: ScoredChunk[], defines: (markdown: string) => boolean): ScoredChunk[] {
  const isOne = scored.map(({ score, markdown }) => score > 0 && defines(markdown));
  if (!isOne.includes(true)) return scored;
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  return scored.map((chunk, place) =>
    isOne[place] ? { ...chunk, score: best } : { ...chunk, score: Math.min(chunk.score, best - 1 / DIGITS) },
  );
}

type Worth = { links: number; isNotes: boolean };
const known = new WeakMap<readonly Chunk[], Worth[]>();

/** Returns the weights of the chunks of a page, which do not depend on the query; cached by the list. */
function computeWorths(chunks: readonly Chunk[]): Worth[] {
  const worths = known.get(chunks) ?? chunks.map(computeWorth);
  known.set(chunks, worths);
  return worths;
}

function computeWorth({ markdown }: Chunk): Worth {
  const beyond = (measureLinkShare(markdown) - LINKS.from) / (LINKS.to - LINKS.from);
  const notes = markdown.split('\n\n').filter((paragraph) => VERSION_NOTE.test(paragraph));
  return {
    links: 1 - (1 - LINKS.least) * Math.min(1, Math.max(0, beyond)),
    isNotes: notes.join('').length > VERSION_NOTES.from * markdown.length,
  };
}

const ASKED =
  /^(?:what(?:'s| is| are)|define|(?:definition|meaning) of) +(?:(?:an?|the) +)?(\S[^?,]{1,58}\S?)$/i;
const ASKED_AS = /^what (?:does|do) +(?:(?:an?|the) +)?(\S[^?,]{1,58}) +(?:mean|stand for)$/i;
/** Longer subjects are questions of their own. */
const WORDS_MAX = 5;
const PLURAL = /(?<=.{3})(?:es|s)$/i;
/** Matches what may precede the subject of a sentence, within BEFORE_CHARS characters. */
const BEGINS = /(?:^|\n|[.:!?)] |[-*+>] )[*_`"“]{0,3}(?:(?:an?|the|each|every) )?[*_`"“]{0,3}$/i;
const BEFORE_CHARS = 24;

/**
 * Returns a test for texts that define the subject of the query ("what is a partial index": "A partial index is an index over
 * ..."); null if the query does not ask for a meaning.
 */
export function createDefinitionMatcher({ text }: Query): ((markdown: string) => boolean) | null {
  const asked = text.trim().replace(/[\s?]{1,8}$/, '');
  const subject = ASKED.exec(asked)?.[1] ?? ASKED_AS.exec(asked)?.[1] ?? '';
  const words = subject.split(/\s+/).filter(Boolean);
  if (words.length === 0 || words.length > WORDS_MAX) return null;
  const named = words.map((word) => `${escapeRegExp(word.replace(PLURAL, ''))}(?:e?s)?`).join('[ *_`-]{1,3}');
  const sentence = new RegExp(
    `(?<![\\p{L}\\p{N}])${named}[*_\`"”]{0,3}(?: \\([^)\\n]{1,60}\\))?,? (?:is|are|means?|refers? to|denotes?|stands? for)(?!\\p{L})`,
    'giu',
  );
  return (markdown) => {
    for (const { index } of markdown.matchAll(sentence))
      if (BEGINS.test(markdown.slice(Math.max(0, index - BEFORE_CHARS), index))) return true;
    return false;
  };
}

const escapeRegExp = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
