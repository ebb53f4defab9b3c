import { createHashedTerms, hashTerm, hashTerms } from '../text/words/hashed/hash-terms.ts';
import { isStopWord } from '../text/words/stop-words.ts';
import { tokenizeWords } from '../text/words/words.ts';
import type { AnswerSubject, IndexedPage } from './local-index-types.ts';

/**
 * The pages that this process has recently put into the index, so that a cached answer survives those that cannot change it. The
 * counter of the index grows by one for each page put, and so reveals changes by other processes.
 */
type RecentChanges = {
  /** Must be called when pages are sent to the writer, and the returned function when the writer has answered. */
  begin(pages: readonly IndexedPage[]): () => void;
  /** Names the state of the index by its counter and the number of pages put by this process. Each changed state gets a new name. */
  versionOf(counter: number): string;
  /** Returns whether all changes between two versions were pages of this process that are unrelated to the subject. */
  isUnaffected(since: string, now: string, subject: AnswerSubject): boolean;
  /** Drops the pages. */
  clear(): void;
};

/** Maximum pages remembered; an answer that is older than all of them is dropped. */
const PAGES_MAX = 128;
/** The words of a longer page are not examined: it counts as related to every subject. */
const CHARS_MAX = 60_000;
/** Marks versions that were read while writes of this process were in flight. */
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
        changes.push(toChange(number, page));
      }
      changes = changes.slice(-PAGES_MAX);
      return () => {
        onTheirWay -= 1;
      };
    },
    versionOf: (counter) => `${counter}/${number}${onTheirWay === 0 ? '' : UNSETTLED}`,
    isUnaffected(since, now, subject) {
      const [before, after] = [parseVersion(since), parseVersion(now)];
      if (before.counter === after.counter) return true;
      const [inIndex, own] = [after.counter - before.counter, after.own - before.own];
      // While writes are in flight, some of their pages may be in the index and some not yet.
      const isOwn = !before.isUnsettled && (after.isUnsettled ? inIndex <= own : inIndex === own);
      const between = changes.filter((change) => change.number > before.own && change.number <= after.own);
      if (!isOwn || between.length !== own) return false;
      const asked = createQueryHasher(subject.texts);
      return !between.some((change) => matchesSubject(change, subject, asked));
    },
    clear() {
      changes = [];
    },
  };
}

function parseVersion(version: string): { counter: number; own: number; isUnsettled: boolean } {
  const [counter, own] = version.split('/');
  return {
    counter: Number(counter),
    own: Number.parseInt(own ?? '', 10),
    isUnsettled: version.endsWith(UNSETTLED),
  };
}

const terms = createHashedTerms();

function toChange(
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
    // Computed lazily: most pages are never compared with an answer.
    words() {
      if (text !== null) known = hashWords(text.join('\n'), language);
      text = null;
      return known;
    },
  };
}

/** Returns the distinct hashes of a text's words, sorted: a fiftieth of the words' size. A hash collision only drops an answer too many. */
function hashWords(text: string, language: string | null): Uint32Array {
  hashTerms(text, language, terms);
  const sorted = terms.hashes.slice(0, terms.count).sort();
  let count = 0;
  for (const hash of sorted) if (count === 0 || hash !== sorted[count - 1]) sorted[count++] = hash;
  return sorted.slice(0, count);
}

function containsWord(words: Uint32Array, word: number): boolean {
  let [from, to] = [0, words.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((words[middle] ?? 0) < word) from = middle + 1;
    else to = middle;
  }
  return words[from] === word;
}

/** Returns a function from a language to the hashes of the texts' words in it; stop words count only if a text has no others. */
function createQueryHasher(texts: readonly string[]): (language: string | null) => number[] {
  const known = new Map<string | null, number[]>();
  return (language) => {
    const found = known.get(language);
    if (found !== undefined) return found;
    const words = texts.flatMap((text) => {
      const all = tokenizeWords(text, language);
      const meaningful = all.filter((word) => !isStopWord(word));
      return (meaningful.length === 0 ? all : meaningful).map(hashTerm);
    });
    known.set(language, words);
    return words;
  };
}

/** Returns whether the page is in the answer or has a word of its query, and is not the version that the answer was made from. */
function matchesSubject(
  { url, fetchedAt, language, words }: Change,
  { urls, read: readings }: AnswerSubject,
  asked: (language: string | null) => number[],
): boolean {
  if (readings.get(url) === fetchedAt) return false;
  if (urls.has(url)) return true;
  const held = words();
  return held === null || asked(language).some((word) => containsWord(held, word));
}
