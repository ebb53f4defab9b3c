import { readFileSync } from 'node:fs';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { stemLanguage } from '../words/stems.ts';
import { createStaticEncoder, type Encoder } from './static-encoder.ts';
import { openStaticModel, type StaticModelFiles } from './static-model.ts';
import { openTable, type TokenTable } from './token-table.ts';

/** A static model of the operator's, and the languages that it knows (primary subtags); null: all. */
export type ChosenModel = StaticModelFiles & { languages: readonly string[] | null };

const BUILT_IN = new URL('../../../models/token-vectors/token-vectors.bin', import.meta.url);
const BUILT_IN_LANGUAGES = ['en'];
const CHOSEN = 'sanderling: the static model';

/** One model for the texts of a thread. */
type InForce = { table: TokenTable; encoder: Encoder; languages: readonly string[] | null };

let inForce: InForce | null = null;

/**
 * The static model for texts in a language (BCP 47; null counts as English); null when it does not know the language. It is read once per
 * thread: the table in models/ (8 MB, about 30 ms), or the model that `chooseModel` names.
 */
export function encoderFor(language: string | null): Encoder | null {
  inForce ??= open();
  const { encoder, languages } = inForce;
  return languages === null || languages.includes(stemLanguage(language)) ? encoder : null;
}

/** The table of that model, for callers that compare single words. */
export function tableFor(language: string | null): TokenTable | null {
  return encoderFor(language) === null ? null : (inForce?.table ?? null);
}

/**
 * Makes a model of the operator's (null: the one in models/) the one of this thread and of all threads started later. Throws with one
 * line when it cannot be read.
 */
export function chooseModel(model: ChosenModel | null): void {
  if (model !== null) tableOf(model);
  setEnvironmentData(CHOSEN, model ?? undefined);
  // Read again by who needs it.
  inForce = null;
}

function open(): InForce {
  // Only `chooseModel` sets it.
  const chosen = getEnvironmentData(CHOSEN) as ChosenModel | undefined;
  const languages = chosen === undefined ? BUILT_IN_LANGUAGES : chosen.languages;
  const table = tableOf(chosen);
  return { table, encoder: createStaticEncoder(table), languages };
}

function tableOf(chosen: ChosenModel | undefined): TokenTable {
  if (chosen === undefined) return openTable(readFileSync(BUILT_IN));
  return openStaticModel(readFileSync(chosen.vectors), readFileSync(chosen.tokenizer, 'utf8'));
}
