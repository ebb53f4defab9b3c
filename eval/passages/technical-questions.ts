import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readJsonLines } from '../../bench/search/read-json-lines.ts';

/** A question over one page of a manual, by its path below `usr/share/doc`, and short texts of the page that answer it. */
type TechnicalQuestion = { manual: string; page: string; question: string; answers: string[] };

/**
 * Manuals whose questions no weight is fitted on: every third of them by name. The texts of the manuals are under their own licences and
 * are not kept here, only where they are and the few words that answer.
 */
const HELD_OUT_STEP = 3;

/** Questions in a developer's words over manuals of Debian packages, those that are in one of the `roots` (folders like `/usr/share/doc`). */
export function technicalQuestions(roots: readonly string[]): {
  questions: (TechnicalQuestion & { root: string })[];
  heldOut: ReadonlySet<string>;
} {
  const path = resolve(import.meta.dirname, 'technical-questions.jsonl');
  const all = readJsonLines<Omit<TechnicalQuestion, 'manual'>>(path).map((one) => ({
    ...one,
    manual: one.page.split('/')[0] ?? '',
  }));
  const manuals = [...new Set(all.map(({ manual }) => manual))].sort();
  return {
    questions: all.flatMap((one) => {
      const root = roots.find((each) => existsSync(join(each, one.page)));
      return root === undefined ? [] : [{ ...one, root }];
    }),
    heldOut: new Set(manuals.filter((_, place) => place % HELD_OUT_STEP === 1)),
  };
}
