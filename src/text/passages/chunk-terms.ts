import type { Chunk } from '../chunk/chunk.ts';
import { isUnspaced } from '../words/scripts.ts';
import { stemLanguage, stemOf } from '../words/stems.ts';
import { wordsOf } from '../words/words.ts';
import { linkShare } from './link-share.ts';
import {
  beginsLine,
  blockAt,
  classOf,
  closedAt,
  endsSentence,
  isSpace,
  LETTER,
  MARKED,
  OPENING,
  PARAGRAPH,
  SAME,
  skipAddress,
} from './text-marks.ts';

/** The chunks of one page as term ids, read once for all queries. */
export type ChunkTerms = {
  /** The distinct terms of the page; a term's id is its place in this list. */
  terms: string[];
  /** Ids of all terms of all chunks in order; those of chunk c from `from[c]` to `from[c + 1]`. */
  ids: Int32Array;
  from: Int32Array;
  /** For each of `ids` the number of its sentence, counted through the page. */
  sentences: Int32Array;
  /** For each of `ids` the number of its block: an entry of a list with what is indented below it, a heading with its first paragraph, a row, a paragraph. */
  blocks: Int32Array;
  /** For each chunk the ids of the terms of the headings above it, each once. */
  headings: number[][];
  /** For each term the word that it was read from first, in lower case and not stemmed. */
  words: string[];
  /** For each chunk the terms of what names its parts: its own heading, headings in it, the terms it defines. */
  labels: number[][][];
  /** 1 for each chunk that is the first below its headings. */
  opens: Uint8Array;
  /** 1 for each chunk that holds a block of code. */
  hasCode: Uint8Array;
  /** The share of each chunk that is code in blocks, and that is text of links. */
  codeShare: Float32Array;
  linkShare: Float32Array;
};
const CODE = /^[ \t>]*(?:```|~~~)/m;

/** Headings and defined terms as our Markdown writes them; longer ones are sentences. */
const LABEL =
  /^(?:#{1,6} +(\S[^\n]{0,120})|[ \t]*(?:[-*+]|\d{1,3}[.)]) +(?:\*\*([^*\n]{1,80})\*\*|`([^`\n]{1,80})`))/gm;
const LABELS_MAX = 12;

/** A word that `wordsOf` only turns to lower case and stems. */
const PLAIN = /^[A-Z]?[a-z]+$/;
const FOREIGN_SENTENCE = /(?<=[。！？।؟۔…])/u;
/** Longer runs without a space (a script without spaces, encoded data) are not kept for when they come again. */
const KEPT_CHARS_MAX = 48;
/** Of one run without spaces this much is read. */
const RUN_CHARS_MAX = 4_000;

/** Chunks -> their terms as `wordsOf` gives them for `language`; addresses of links are left out. */
export function readChunks(chunks: readonly Chunk[], language: string | null): ChunkTerms {
  const reader = new TermReader(language);
  const from = new Int32Array(chunks.length + 1);
  const headings: number[][] = [];
  const labels: number[][][] = [];
  const opens = new Uint8Array(chunks.length);
  let lastPath = '';
  const ofPath = new Map<string, number[]>();
  for (const [place, { markdown, headingPath }] of chunks.entries()) {
    from[place] = reader.count;
    reader.read(markdown);
    const path = headingPath.join('\n');
    const known = ofPath.get(path) ?? reader.idsOf(path);
    ofPath.set(path, known);
    headings.push(known);
    if (path !== lastPath && path !== '') opens[place] = 1;
    lastPath = path;
    const own = headingPath.at(-1);
    const named = [...markdown.matchAll(LABEL)]
      .slice(0, LABELS_MAX)
      .map(([, ...of]) => of.find(Boolean) ?? '');
    if (own !== undefined) named.push(own);
    labels.push([...new Set(named)].map((label) => reader.idsOf(label)));
  }
  from[chunks.length] = reader.count;
  return {
    terms: reader.terms,
    ids: reader.ids.subarray(0, reader.count),
    sentences: reader.sentences.subarray(0, reader.count),
    blocks: reader.blocks.subarray(0, reader.count),
    from,
    headings,
    words: reader.words,
    labels,
    opens,
    hasCode: Uint8Array.from(chunks, ({ markdown }) => Number(CODE.test(markdown))),
    codeShare: Float32Array.from(chunks, ({ markdown }) => codeShareOf(markdown)),
    linkShare: Float32Array.from(chunks, ({ markdown }) => linkShare(markdown)),
  };
}

const FENCE = '```';

/** The share of a chunk's characters that is in blocks of code. */
function codeShareOf(markdown: string): number {
  let chars = 0;
  for (let at = markdown.indexOf(FENCE); at !== -1; ) {
    const closing = markdown.indexOf(FENCE, at + FENCE.length);
    const end = closing === -1 ? markdown.length : closing + FENCE.length;
    chars += end - at;
    at = markdown.indexOf(FENCE, end);
  }
  return chars / Math.max(1, markdown.length);
}

class TermReader {
  readonly terms: string[] = [];
  readonly words: string[] = [];
  ids = new Int32Array(4_096);
  sentences = new Int32Array(4_096);
  blocks = new Int32Array(4_096);
  count = 0;
  #sentence = 0;
  #block = 0;
  readonly #language: string | null;
  readonly #known: (word: string) => KnownWord;
  readonly #idOfTerm = new Map<string, number>();
  /** The ids of a run of characters between spaces: one, or several. */
  readonly #idsOfRun = new Map<string, number | number[]>();

  constructor(language: string | null) {
    this.#language = language;
    this.#known = keptWords(stemLanguage(language));
  }

  /** The distinct term ids of a short text that is not part of the page's own. */
  idsOf(text: string): number[] {
    return [...new Set(wordsOf(text, this.#language).map((term) => this.#intern(term)))];
  }

  read(text: string): void {
    this.#sentence += 1;
    this.#block += 1;
    const { length } = text;
    let isHeading = text.charCodeAt(0) === 35;
    let at = 0;
    while (at < length) {
      const code = text.charCodeAt(at);
      if (isSpace(code)) {
        if (code === 10 && beginsLine(text, at + 1)) {
          this.#sentence += 1;
          const begins = blockAt(text, at + 1);
          if (begins === MARKED || (begins === PARAGRAPH && !isHeading)) this.#block += 1;
          if (begins !== SAME) isHeading = text.charCodeAt(at + 1) === 35;
        }
        at += 1;
        continue;
      }
      at = this.#readRun(text, at);
    }
  }

  /** Reads a run between two spaces; returns where it ends. */
  #readRun(text: string, start: number): number {
    let end = start;
    let letters = true;
    let from = start;
    // Opening marks in front of a word.
    while (from < text.length && (classOf(text.charCodeAt(from)) & OPENING) !== 0) from += 1;
    end = from;
    while (end < text.length) {
      const code = text.charCodeAt(end);
      if (isSpace(code)) break;
      if (code === 93 && text.charCodeAt(end + 1) === 40) {
        this.#take(text, from, end, letters);
        return skipAddress(text, end + 2);
      }
      if ((classOf(code) & LETTER) === 0) {
        const stop = closedAt(text, end);
        if (stop !== -1) {
          this.#take(text, from, end, letters);
          if (endsSentence(text, from, end, stop)) this.#sentence += 1;
          return stop;
        }
        letters = false;
      }
      end += 1;
    }
    this.#take(text, from, end, letters);
    return end;
  }

  #take(text: string, from: number, end: number, letters: boolean): void {
    if (end <= from) return;
    const run = text.slice(from, Math.min(end, from + RUN_CHARS_MAX));
    if (run.length > KEPT_CHARS_MAX || (!letters && isUnspaced(run))) {
      for (const [place, sentence] of run.split(FOREIGN_SENTENCE).entries()) {
        if (place > 0) this.#sentence += 1;
        for (const term of wordsOf(sentence, this.#language)) this.#push(this.#intern(term));
      }
      return;
    }
    let known = this.#idsOfRun.get(run);
    if (known === undefined) {
      if (letters && PLAIN.test(run)) {
        const { word, stem } = this.#known(run.toLowerCase());
        known = this.#intern(stem, word);
      } else {
        const ids = wordsOf(run, this.#language).map((term) => this.#intern(term));
        known = ids.length === 1 ? (ids[0] ?? 0) : ids;
      }
      this.#idsOfRun.set(run, known);
    }
    if (typeof known === 'number') this.#push(known);
    else for (const id of known) this.#push(id);
    if (!letters && /[।؟۔。！？]$/u.test(run)) this.#sentence += 1;
  }

  #push(id: number): void {
    if (this.count === this.ids.length) {
      this.ids = grown(this.ids);
      this.sentences = grown(this.sentences);
      this.blocks = grown(this.blocks);
    }
    this.ids[this.count] = id;
    this.blocks[this.count] = this.#block;
    this.sentences[this.count] = this.#sentence;
    this.count += 1;
  }

  #intern(term: string, word = term): number {
    const known = this.#idOfTerm.get(term);
    if (known !== undefined) return known;
    const id = this.terms.length;
    this.#idOfTerm.set(term, id);
    this.terms.push(term);
    this.words.push(word);
    return id;
  }
}

/** Words that a thread remembers with their stems, for each stemmer: most words of a page are on others too. */
const WORDS_KEPT_MAX = 20_000;
/** A word as it was first read: the same string each time is looked up faster. */
type KnownWord = { word: string; stem: string };
const wordsKept = new Map<string, Map<string, KnownWord>>();

function keptWords(stems: string): (word: string) => KnownWord {
  const kept = wordsKept.get(stems) ?? new Map<string, KnownWord>();
  wordsKept.set(stems, kept);
  return (word) => {
    const before = kept.get(word);
    if (before !== undefined) return before;
    if (kept.size >= WORDS_KEPT_MAX) kept.clear();
    const known = { word, stem: stemOf(word, stems) };
    kept.set(word, known);
    return known;
  };
}

const grown = (array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
};
