import { hashOf } from '../text/words/hashed/hash-of.ts';
import { hashTerms, noTerms } from '../text/words/hashed/hash-terms.ts';
import { isStopWord } from '../text/words/stop-words.ts';
import { wordsOf } from '../text/words/words.ts';
import type { AnswerSubject, IndexedPage } from './local-index-types.ts';

/**
 * The pages that this process has put into the index lately, so that a kept answer survives those that cannot change it. Whether another
 * process has changed the index as well shows in its counter, which grows by one for each page that is put.
 */
type RecentChanges = {
  /** To be called when pages are sent to the writer; the returned function when it has answered. */
  begin(pages: readonly IndexedPage[]): () => void;
  /** Names the state of the index: its counter, and how many pages of this process are in it. Different from all earlier ones once it has changed. */
  versionOf(counter: number): string;
  /** Whether everything that happened between two versions was pages of this process that have nothing to do with the subject. */
  isUnaffected(since: string, now: string, subject: AnswerSubject): boolean;
  /** Drops the pages. */
  clear(): void;
};

/** Pages that are remembered; an answer that is older than all of them is dropped. */
const PAGES_MAX = 128;
/** The words of a longer page are not looked at: it counts as being about everything. */
const CHARS_MAX = 60_000;
/** Marks versions that were read while pages of this process were on their way. */
const UNSETTLED = '-';

type Change = Pick<IndexedPage, 'url' | 'language' | 'fetchedAt'> & {
  number: number;
  words(): Uint32Array | null;
};

export function createRecentChanges(): RecentChanges {
  let changes: Change[] = [];
  let number = 0;
  let onTheirWay = 0;
  return {
    begin(pages) {
      onTheirWay += 1;
      for (const page of pages) {
        number += 1;
        changes.push(changeOf(number, page));
      }
      changes = changes.slice(-PAGES_MAX);
      return () => {
        onTheirWay -= 1;
      };
    },
    versionOf: (counter) => `${counter}/${number}${onTheirWay === 0 ? '' : UNSETTLED}`,
    isUnaffected(since, now, subject) {
      const [before, after] = [read(since), read(now)];
      if (before.counter === after.counter) return true;
      const [inIndex, own] = [after.counter - before.counter, after.own - before.own];
      // While pages are on their way, some of them may be in the index and some not yet.
      const isOwn = !before.isUnsettled && (after.isUnsettled ? inIndex <= own : inIndex === own);
      const between = changes.filter((change) => change.number > before.own && change.number <= after.own);
      if (!isOwn || between.length !== own) return false;
      const asked = questionsOf(subject.texts);
      return !between.some((change) => concerns(change, subject, asked));
    },
    clear() {
      changes = [];
    },
  };
}

function read(version: string): { counter: number; own: number; isUnsettled: boolean } {
  const [counter, own] = version.split('/');
  return {
    counter: Number(counter),
    own: Number.parseInt(own ?? '', 10),
    isUnsettled: version.endsWith(UNSETTLED),
  };
}

const terms = noTerms();

function changeOf(
  number: number,
  { url, title, headings, markdown, language, fetchedAt }: IndexedPage,
): Change {
  const isLong = title.length + markdown.length > CHARS_MAX;
  let text: string[] | null = isLong ? null : [title, ...headings, url, markdown];
  let known: Uint32Array | null = null;
  return {
    number,
    url,
    language,
    fetchedAt,
    // Only when an answer is looked at: most pages are never compared with one.
    words() {
      if (text !== null) known = wordsIn(text.join('\n'), language);
      text = null;
      return known;
    },
  };
}

/** The hashes of the words of a text, each once, in order: a fiftieth of what the words take. Two words with one hash drop an answer too many. */
function wordsIn(text: string, language: string | null): Uint32Array {
  hashTerms(text, language, terms);
  const sorted = terms.hashes.slice(0, terms.count).sort();
  let count = 0;
  for (const hash of sorted) if (count === 0 || hash !== sorted[count - 1]) sorted[count++] = hash;
  return sorted.slice(0, count);
}

function holds(words: Uint32Array, word: number): boolean {
  let [from, to] = [0, words.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((words[middle] ?? 0) < word) from = middle + 1;
    else to = middle;
  }
  return words[from] === word;
}

/** Texts -> the hashes of their words as pages in a language have them; words without meaning count only if a text has no others. */
function questionsOf(texts: readonly string[]): (language: string | null) => number[] {
  const known = new Map<string | null, number[]>();
  return (language) => {
    const found = known.get(language);
    if (found !== undefined) return found;
    const words = texts.flatMap((text) => {
      const all = wordsOf(text, language);
      const meaningful = all.filter((word) => !isStopWord(word));
      return (meaningful.length === 0 ? all : meaningful).map(hashOf);
    });
    known.set(language, words);
    return words;
  };
}

/** Whether the page is one of the answer's, or has a word of what was asked for, and is not the very reading that the answer was made from. */
function concerns(
  { url, fetchedAt, language, words }: Change,
  { urls, read: readings }: AnswerSubject,
  asked: (language: string | null) => number[],
): boolean {
  if (readings.get(url) === fetchedAt) return false;
  if (urls.has(url)) return true;
  const held = words();
  return held === null || asked(language).some((word) => holds(held, word));
}
