import { isUnspaced } from '../words/scripts.ts';
import { stemWord } from '../words/stems.ts';
import { tokenizeWords } from '../words/words.ts';

/** A word of a page in lower case and not stemmed. A thread has one object per word, which also caches its tokens. */
export type Word = { readonly text: string; tokens: unknown };

/**
 * Characters of a text between two offsets. `hash`: computed by `addUnit` over their code units, starting with `NO_UNITS`.
 * `isLatin`: ASCII letters only.
 */
export type RunOfUnits = { start: number; end: number; hash: number; isLatin: boolean };

/** Initial value of FNV-1a. */
export const NO_UNITS = 0x811c9dc5;
export const addUnit = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** Longer runs without a space (scripts without spaces, encoded data) are not cached. */
const KEPT_CHARS_MAX = 48;
/** Maximum cached runs per stemmer. */
export const RUNS_MAX = 40_000;
const CHARS_MAX = 400_000;
const ENTRIES_MAX = 80_000;
/** Maximum terms of the cached runs. */
export const TERMS_MAX = 60_000;
const LANGUAGES_MAX = 3;
/** A word that `tokenizeWords` only lower-cases and stems. */
const PLAIN = /^[A-Z]?[a-z]+$/;
/** Matches the end of a sentence in a script without Latin full stops. */
export const FOREIGN_END = /[।؟۔。！？]$/u;

const languages = new Map<string, KnownRuns>();

/** Returns this thread's cache of runs for a stemmer, with room for more. */
export function ensureKnownRuns(stems: string): KnownRuns {
  const known = languages.get(stems);
  if (known !== undefined && !known.isFull) return known;
  if (known === undefined && languages.size >= LANGUAGES_MAX) languages.clear();
  const fresh = new KnownRuns(stems);
  languages.set(stems, fresh);
  return fresh;
}

/**
 * A thread's cache of the runs of characters between spaces with their terms, shared by all pages: most runs of a page occur on
 * others too. Numbers of terms stay the same until the next page begins.
 */
class KnownRuns {
  /** The terms of run n and their words are those from `from[n]` up to `from[n + 1]`. */
  readonly from = new Int32Array(RUNS_MAX + 1);
  readonly terms = new Int32Array(ENTRIES_MAX);
  readonly words: Word[] = [];
  /** 1 for each run that ends a sentence in a script without Latin full stops. */
  readonly endsSentence = new Uint8Array(RUNS_MAX);
  /** Every term by its number. */
  readonly forms: string[] = [];
  /** True when there is no room left: the next page begins with an empty cache. */
  isFull = false;
  readonly #stems: string;
  readonly #slots = new Int32Array(2 ** Math.ceil(Math.log2(RUNS_MAX * 2)));
  /** Offset of the code units of each run. */
  readonly #starts = new Int32Array(RUNS_MAX + 1);
  readonly #units = new Uint16Array(CHARS_MAX);
  readonly #numbers = new Map<string, number>();
  readonly #wordOf = new Map<string, Word>();
  #count = 0;

  constructor(stems: string) {
    this.#stems = stems;
  }

  /** Returns the number of a run; -1: not cached, because it is long, in a script without spaces, or there is no room. */
  numberOf(text: string, run: RunOfUnits): number {
    const { start, end, hash, isLatin } = run;
    if (end - start > KEPT_CHARS_MAX) return -1;
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let known = this.#slots[slot] ?? 0; known !== 0; known = this.#slots[slot] ?? 0) {
      if (this.#isRun(known - 1, text, run)) return known - 1;
      slot = (slot + 1) & mask;
    }
    if (this.isFull || (!isLatin && isUnspaced(text.slice(start, end))) || !this.#add(text, run)) return -1;
    this.#slots[slot] = this.#count;
    return this.#count - 1;
  }

  /** Returns the terms of a run that is not cached; null: it must be read like a text. */
  termsOf(run: string): { form: string; word: string }[] | null {
    return run.length > KEPT_CHARS_MAX || isUnspaced(run) ? null : readRunTerms(run, this.#stems);
  }

  /** Returns the number of a term; -1: it has none, and there is no room. */
  numberOfTerm(form: string): number {
    const known = this.#numbers.get(form);
    if (known !== undefined) return known;
    if (this.forms.length >= TERMS_MAX) {
      this.isFull = true;
      return -1;
    }
    this.#numbers.set(form, this.forms.length);
    return this.forms.push(form) - 1;
  }

  wordOf(text: string): Word {
    const word = this.#wordOf.get(text) ?? { text, tokens: null };
    if (this.#wordOf.size < TERMS_MAX) this.#wordOf.set(text, word);
    return word;
  }

  #isRun(run: number, text: string, { start, end }: RunOfUnits): boolean {
    let at = this.#starts[run] ?? 0;
    if ((this.#starts[run + 1] ?? 0) - at !== end - start) return false;
    for (let place = start; place < end; place += 1)
      if (this.#units[at++] !== text.charCodeAt(place)) return false;
    return true;
  }

  #add(text: string, { start, end }: RunOfUnits): boolean {
    const run = text.slice(start, end);
    const read = readRunTerms(run, this.#stems);
    let at = this.#starts[this.#count] ?? 0;
    let entries = this.from[this.#count] ?? 0;
    const hasRoom =
      this.#count < RUNS_MAX && at + run.length <= CHARS_MAX && entries + read.length <= ENTRIES_MAX;
    const numbers = hasRoom ? read.map(({ form }) => this.numberOfTerm(form)) : [-1];
    if (numbers.includes(-1)) {
      this.isFull = true;
      return false;
    }
    for (const [place, { word }] of read.entries()) {
      this.terms[entries] = numbers[place] ?? 0;
      this.words[entries] = this.wordOf(word);
      entries += 1;
    }
    for (let place = start; place < end; place += 1) this.#units[at++] = text.charCodeAt(place);
    this.endsSentence[this.#count] = FOREIGN_END.test(run) ? 1 : 0;
    this.#count += 1;
    this.#starts[this.#count] = at;
    this.from[this.#count] = entries;
    return true;
  }
}

function readRunTerms(run: string, stems: string): { form: string; word: string }[] {
  if (!PLAIN.test(run)) return tokenizeWords(run, stems).map((form) => ({ form, word: form }));
  const word = run.toLowerCase();
  return [{ form: stemWord(word, stems), word }];
}
