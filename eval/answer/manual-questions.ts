import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readJsonLines } from '../../bench/search/read-json-lines.ts';

/** A question over a page of a manual; without answers nothing in the manual answers it. */
type ManualQuestion = { page: string; kind: string; question: string; answers: string[] };

/** The questions over the manual of a Debian package; empty if there are none. */
export function readManualQuestions(name: string): ManualQuestion[] {
  const path = resolve(import.meta.dirname, 'manual-questions', `${name}.jsonl`);
  return existsSync(path) ? readJsonLines(path) : [];
}
