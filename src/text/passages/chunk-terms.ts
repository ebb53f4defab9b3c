import type { Chunk } from '../chunk/chunk-markdown.ts';
import { resolveStemLanguage } from '../words/stems.ts';
import { tokenizeWords } from '../words/words.ts';
import {
  addUnit,
  ensureKnownRuns,
  FOREIGN_END,
  NO_UNITS,
  type RunOfUnits,
  TERMS_MAX,
  type Word,
} from './known-runs.ts';
import { measureLinkShare } from './link-share.ts';

const SPACE = 1;
const SENTENCE_END = 2;
const OPENING = 4;
const CLOSING = 8;
const LETTER = 16;
const LINE_MARK = 32;
/** The classes of ASCII characters; the rest of Unicode is classified word by word. */
const CLASSES = new Uint8Array(128);
const classify = (characters: string, as: number): void => {
  for (const character of characters)
    CLASSES[character.charCodeAt(0)] = (CLASSES[character.charCodeAt(0)] ?? 0) | as;
};
/** Maximum characters of abbreviations such as `Mr.` and `St.`, which do not end a sentence. */
const ABBREVIATION_CHARS_MAX = 3;
const LINK_CHARS_MAX = 2_000;
const classifyCode = (code: number): number => (code < 128 ? (CLASSES[code] ?? 0) : 0);
const isSpace = (code: number): boolean =>
  code < 128 ? ((CLASSES[code] ?? 0) & SPACE) !== 0 : code === 0xa0 || code === 0x3000;
/** The kind of block that begins at a line: none, a paragraph, or a marked block. */
export const [SAME, PARAGRAPH, MARKED] = [0, 1, 2];
const ITEM = /(?:[-*+]|\d{1,3}[.)])[ \t]/y;

/** The chunks of one page as term ids, read once for all queries. */
export type ChunkTerms = {
  /** The distinct terms of the page; a term's id is its place in this list. */
  terms: string[];
  /** Ids of all terms of all chunks in order; those of chunk c from `from[c]` to `from[c + 1]`. */
  ids: Int32Array;
  from: Int32Array;
  /** The sentence number of each of `ids`, counted through the page. */
  sentences: Int32Array;
  /**
   * The block number of each of `ids`. A block is a list entry with what is indented below it, a heading with its first paragraph,
   * a row, or a paragraph.
   */
  blocks: Int32Array;
  /** The distinct ids of the terms of the headings above each chunk. */
  headings: number[][];
  /** The word that each term was first read from, in lower case and not stemmed. */
  words: Word[];
  /** The terms of the labels of each chunk: its own heading, headings in it, the terms it defines. */
  labels: number[][][];
  /** 1 for each chunk that contains a block of code. */
  hasCode: Uint8Array;
  /** 1 for each chunk with an instruction and the code for it. */
  instructs: Uint8Array;
  /** The share of each chunk in code blocks, and in link texts. */
  codeShare: Float32Array;
  linkShare: Float32Array;
};
const CODE = /^[ \t>]*(?:```|~~~)/m;
/** An instruction that ends in code: a verb and an inline name, or a sentence that introduces a block. */
const INSTRUCTS =
  /\b(?:use|using|set|setting|pass|passing|add|adding|call|calling|run|running|specify|specifying|issue|execute|invoke|via|by|with|to) [^.\n`]{0,100}`[^`\n]+`|\b(?:use|set|add|call|run|following|follows|example|like this|command|statement|by|to)\b[^.\n]{0,100}:\s*\n[ \t>]*(?:```|~~~)/i;

/** Matches headings and defined terms as our Markdown writes them; longer ones are sentences. */
const LABEL =
  /^(?:#{1,6} +(\S[^\n]{0,120})|[ \t]*(?:[-*+]|\d{1,3}[.)]) +(?:\*\*([^*\n]{1,80})\*\*|`([^`\n]{1,80})`))/gm;
const LABELS_MAX = 12;

const FOREIGN_SENTENCE = /(?<=[。！？।؟۔…])/u;
/** Maximum characters read of one run without spaces. */
const RUN_CHARS_MAX = 4_000;

/** Reads the terms of chunks as `tokenizeWords` returns them for `language`; link addresses are left out. */
export function readChunks(chunks: readonly Chunk[], language: string | null): ChunkTerms {
  const reader = new TermReader(language);
  const from = new Int32Array(chunks.length + 1);
  const headings: number[][] = [];
  const labels: number[][][] = [];
  const ofPath = new Map<string, number[]>();
  for (const [place, { markdown, headingPath }] of chunks.entries()) {
    from[place] = reader.count;
    reader.read(markdown);
    const path = headingPath.join('\n');
    const known = ofPath.get(path) ?? reader.idsOf(path);
    ofPath.set(path, known);
    headings.push(known);
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
    hasCode: Uint8Array.from(chunks, ({ markdown }) => Number(CODE.test(markdown))),
    instructs: Uint8Array.from(chunks, ({ markdown }) => Number(INSTRUCTS.test(markdown))),
    codeShare: Float32Array.from(chunks, ({ markdown }) => measureCodeShare(markdown)),
    linkShare: Float32Array.from(chunks, ({ markdown }) => measureLinkShare(markdown)),
  };
}

const FENCE = '```';

/** Returns the share of a chunk's characters in code blocks. */
function measureCodeShare(markdown: string): number {
  let chars = 0;
  for (let at = markdown.indexOf(FENCE); at !== -1; ) {
    const closing = markdown.indexOf(FENCE, at + FENCE.length);
    const end = closing === -1 ? markdown.length : closing + FENCE.length;
    chars += end - at;
    at = markdown.indexOf(FENCE, end);
  }
  return chars / Math.max(1, markdown.length);
}

/** Counts the pages read, so that cached ids of one page are not used for another. */
let pages = 0;
const idOf = new Int32Array(TERMS_MAX);
const pageOf = new Int32Array(TERMS_MAX);

class TermReader {
  readonly terms: string[] = [];
  readonly words: Word[] = [];
  ids = new Int32Array(4_096);
  sentences = new Int32Array(4_096);
  blocks = new Int32Array(4_096);
  count = 0;
  #sentence = 0;
  #block = 0;
  readonly #page: number;
  readonly #stems: string;
  readonly #runs: ReturnType<typeof ensureKnownRuns>;
  /** Ids of terms that have no number in `#runs`. */
  readonly #others = new Map<string, number>();
  readonly #idsOfText = new Map<string, number[]>();

  constructor(language: string | null) {
    pages += 1;
    this.#page = pages;
    this.#stems = resolveStemLanguage(language);
    this.#runs = ensureKnownRuns(this.#stems);
  }

  /** Returns the distinct term ids of a short text that is not part of the page's own. */
  idsOf(text: string): number[] {
    const known = this.#idsOfText.get(text);
    if (known !== undefined) return known;
    const ids = [...new Set(tokenizeWords(text, this.#stems).map((term) => this.#intern(term)))];
    this.#idsOfText.set(text, ids);
    return ids;
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
        if (code === 10 && isBlockLine(text, at + 1)) {
          this.#sentence += 1;
          const begins = detectBlock(text, at + 1);
          if (begins === MARKED || (begins === PARAGRAPH && !isHeading)) this.#block += 1;
          if (begins !== SAME) isHeading = text.charCodeAt(at + 1) === 35;
        }
        at += 1;
        continue;
      }
      at = this.#readRun(text, at);
    }
  }

  /** Reads a run between two spaces; returns its end. */
  #readRun(text: string, start: number): number {
    const run: RunOfUnits = { start, end: start, hash: NO_UNITS, isLatin: true };
    // Skip opening marks before a word.
    while (run.start < text.length && (classifyCode(text.charCodeAt(run.start)) & OPENING) !== 0)
      run.start += 1;
    for (run.end = run.start; run.end < text.length; run.end += 1) {
      const code = text.charCodeAt(run.end);
      if (isSpace(code)) break;
      if (code === 93 && text.charCodeAt(run.end + 1) === 40) {
        this.#take(text, run);
        return skipAddress(text, run.end + 2);
      }
      if ((classifyCode(code) & LETTER) === 0) {
        const stop = findClosingEnd(text, run.end);
        if (stop !== -1) {
          this.#take(text, run);
          if (isSentenceEnd(text, run.start, run.end, stop)) this.#sentence += 1;
          return stop;
        }
        run.isLatin = false;
      }
      run.hash = addUnit(run.hash, code);
    }
    this.#take(text, run);
    return run.end;
  }

  #take(text: string, run: RunOfUnits): void {
    if (run.end <= run.start) return;
    const runs = this.#runs;
    const known = runs.numberOf(text, run);
    if (known === -1) {
      this.#readLong(text.slice(run.start, Math.min(run.end, run.start + RUN_CHARS_MAX)));
      return;
    }
    const end = runs.from[known + 1] ?? 0;
    for (let at = runs.from[known] ?? 0; at < end; at += 1)
      this.#push(this.#idOf(runs.terms[at] ?? 0, runs.words[at]));
    this.#sentence += runs.endsSentence[known] ?? 0;
  }

  /** Reads a run that is not cached. */
  #readLong(run: string): void {
    const terms = this.#runs.termsOf(run);
    if (terms === null) {
      for (const [place, sentence] of run.split(FOREIGN_SENTENCE).entries()) {
        if (place > 0) this.#sentence += 1;
        for (const term of tokenizeWords(sentence, this.#stems)) this.#push(this.#intern(term));
      }
      return;
    }
    for (const { form, word } of terms) this.#push(this.#intern(form, word));
    if (FOREIGN_END.test(run)) this.#sentence += 1;
  }

  #push(id: number): void {
    if (this.count === this.ids.length) {
      this.ids = growArray(this.ids);
      this.sentences = growArray(this.sentences);
      this.blocks = growArray(this.blocks);
    }
    this.ids[this.count] = id;
    this.blocks[this.count] = this.#block;
    this.sentences[this.count] = this.#sentence;
    this.count += 1;
  }

  #intern(form: string, word = form): number {
    const term = this.#runs.numberOfTerm(form);
    if (term !== -1) return this.#idOf(term, this.#runs.wordOf(word));
    const known = this.#others.get(form);
    if (known !== undefined) return known;
    const id = this.#add(form, this.#runs.wordOf(word));
    this.#others.set(form, id);
    return id;
  }

  #idOf(term: number, word: Word | undefined): number {
    if (pageOf[term] === this.#page) return idOf[term] ?? 0;
    const form = this.#runs.forms[term] ?? '';
    const id = this.#add(form, word ?? this.#runs.wordOf(form));
    pageOf[term] = this.#page;
    idOf[term] = id;
    return id;
  }

  #add(form: string, word: Word): number {
    this.words.push(word);
    return this.terms.push(form) - 1;
  }
}

const growArray = (array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
};

classify(' \t\n\r\f\v', SPACE);

classify('.!?', SENTENCE_END);

classify('([{"\'*_`<>|', OPENING);

classify('.,;:!?)]}"\'*_`|<>', CLOSING);

classify('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', LETTER);

classify('-*+|#>0123456789', LINE_MARK);

/** True when the line at `at` is a block of its own: blank, an item, a row, a heading, a quote. */
function isBlockLine(text: string, at: number): boolean {
  let next = at;
  while (text.charCodeAt(next) === 32) next += 1;
  return (
    next >= text.length ||
    text.charCodeAt(next) === 10 ||
    (classifyCode(text.charCodeAt(next)) & LINE_MARK) !== 0
  );
}

/**
 * Returns what begins at the line at `at`: MARKED for a list item, row or heading, PARAGRAPH for an unindented line after a blank
 * line, else SAME.
 */
function detectBlock(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === 35 || first === 124) return MARKED;
  let start = at;
  while (text.charCodeAt(start) === 32 || text.charCodeAt(start) === 9) start += 1;
  ITEM.lastIndex = start;
  if (ITEM.test(text)) return MARKED;
  if (first !== 10) return SAME;
  const next = text.charCodeAt(at + 1);
  return isSpace(next) || next === 35 || next === 124 ? SAME : PARAGRAPH;
}

/** Returns the end of the closing marks at `at` if a space or the end follows them, else -1. */
function findClosingEnd(text: string, at: number): number {
  let next = at;
  while (next < text.length && (classifyCode(text.charCodeAt(next)) & CLOSING) !== 0) {
    if (text.charCodeAt(next) === 93 && text.charCodeAt(next + 1) === 40) return -1;
    next += 1;
  }
  return next > at && (next >= text.length || isSpace(text.charCodeAt(next))) ? next : -1;
}

function isSentenceEnd(text: string, from: number, end: number, stop: number): boolean {
  for (let at = end; at < stop; at += 1) {
    const code = text.charCodeAt(at);
    if ((classifyCode(code) & SENTENCE_END) === 0) continue;
    if (code !== 46 || end - from > ABBREVIATION_CHARS_MAX) return true;
    const first = text.charCodeAt(from);
    return first >= 97 || (first >= 48 && first <= 57);
  }
  return false;
}

/** Returns the end of the link address that begins at `at`. */
function skipAddress(text: string, at: number): number {
  let depth = 1;
  const end = Math.min(text.length, at + LINK_CHARS_MAX);
  for (let next = at; next < end; next += 1) {
    const code = text.charCodeAt(next);
    if (code === 40) depth += 1;
    else if (code === 41) depth -= 1;
    else if (code === 10) break;
    if (depth === 0) return next + 1;
  }
  return at;
}
