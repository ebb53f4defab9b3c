import type { Query } from '../query/read-query.ts';

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
