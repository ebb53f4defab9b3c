/**
 * Provides the static embedding model of a thread: the built-in one, or the one that the operator chose. It is opened once per
 * thread, and the built-in table is shared by all threads. Texts in a language that it does not know get no vectors.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { resolveStemLanguage } from '../words/stems.ts';
import { createStaticEncoder, type Encoder } from './static-encoder.ts';
import { openStaticModel, type StaticModelFiles } from './static-model.ts';
import { openTable, type TokenTable } from './token-table.ts';

/** A static model chosen by the operator, and the languages that it knows (primary subtags); null: all. */
export type ChosenModel = StaticModelFiles & { languages: readonly string[] | null };

const BUILT_IN = new URL('../../../models/token-vectors/token-vectors.bin', import.meta.url);
const BUILT_IN_LANGUAGES = ['en'];
const CHOSEN = 'sanderling: the static model';
const SHARED = 'sanderling: the bytes of the built-in table';

/** Memory shared by all threads for one file: the first thread reads it, the others use it. */
type SharedBytes = { state: Int32Array<SharedArrayBuffer>; bytes: Uint8Array<SharedArrayBuffer> };
const [UNREAD, BEING_READ, READ] = [0, 1, 2];

/** The active model of a thread. */
type ActiveModel = { table: TokenTable; encoder: Encoder; languages: readonly string[] | null };

let activeModel: ActiveModel | null = null;

/**
 * Returns the static model for texts in a language (BCP 47; null counts as English); null when it does not know the language. It is
 * opened once per thread: the table in models/ (8 MB, which threads share after `chooseModel`), or the model that `chooseModel`
 * names.
 */
export function findEncoder(language: string | null): Encoder | null {
  activeModel ??= openModel();
  const { encoder, languages } = activeModel;
  return languages === null || languages.includes(resolveStemLanguage(language)) ? encoder : null;
}

/** Returns the table of that model, for callers that compare single words. */
export function findTokenTable(language: string | null): TokenTable | null {
  return findEncoder(language) === null ? null : (activeModel?.table ?? null);
}

/**
 * Sets the operator's model (null: the one in models/) for this thread and for all threads started later. Throws a one-line error
 * when it cannot be read.
 */
export function chooseModel(model: ChosenModel | null): void {
  if (model !== null) loadTable(model);
  setEnvironmentData(CHOSEN, model ?? undefined);
  setEnvironmentData(SHARED, getEnvironmentData(SHARED) ?? reserveBytes());
  // Reopened on next use.
  activeModel = null;
}

function openModel(): ActiveModel {
  // Only `chooseModel` sets it.
  const chosen = getEnvironmentData(CHOSEN) as ChosenModel | undefined;
  const languages = chosen === undefined ? BUILT_IN_LANGUAGES : chosen.languages;
  const table = loadTable(chosen);
  return { table, encoder: createStaticEncoder(table), languages };
}

function loadTable(chosen: ChosenModel | undefined): TokenTable {
  if (chosen === undefined) return loadBuiltInTable();
  return openStaticModel(readFileSync(chosen.vectors), readFileSync(chosen.tokenizer, 'utf8'));
}

/** Reserves the memory; the system allocates it only when it is written. */
function reserveBytes(): SharedBytes {
  return {
    state: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
    bytes: new Uint8Array(new SharedArrayBuffer(statSync(BUILT_IN).size)),
  };
}

function loadBuiltInTable(): TokenTable {
  // Only `chooseModel` sets it.
  const shared = (getEnvironmentData(SHARED) as SharedBytes | undefined) ?? reserveBytes();
  const { state, bytes } = shared;
  while (Atomics.load(state, 0) !== READ) {
    if (Atomics.compareExchange(state, 0, UNREAD, BEING_READ) === UNREAD) fillMemory(shared);
    else Atomics.wait(state, 0, BEING_READ);
  }
  return openTable(bytes);
}

/** Reads the file into the memory; if that fails, the next thread tries again. */
function fillMemory({ state, bytes }: SharedBytes): void {
  let reached = UNREAD;
  let file: number | null = null;
  try {
    file = openSync(BUILT_IN, 'r');
    if (readSync(file, bytes, 0, bytes.length, 0) !== bytes.length)
      throw new Error('the table of token vectors is cut off');
    reached = READ;
  } finally {
    if (file !== null) closeSync(file);
    Atomics.store(state, 0, reached);
    Atomics.notify(state, 0);
  }
}
