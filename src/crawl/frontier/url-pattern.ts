import { RE2JS, RE2JSException } from 're2js';
import { SITE } from '../../contract/limits.ts';

/** A caller's regular expression, found anywhere in a text; `^` and `$` bind it. */
export type UrlPattern = { isIn(text: string): boolean };

/** Instructions of the compiled pattern: what matching costs for each character at most. */
const PROGRAM_SIZE_MAX = 1_000;

/**
 * A pattern in the syntax of RE2 (no look-around, no back-references), matched in time linear in the text: a caller's pattern
 * never meets the engine of the language, which can be made to run for hours. Gives what is wrong with it as a text.
 */
export function compilePattern(pattern: string): UrlPattern | { problem: string } {
  if (pattern.length > SITE.patterns.charsMax)
    return { problem: `has more than ${SITE.patterns.charsMax} characters` };
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > PROGRAM_SIZE_MAX)
      return { problem: 'is too large once its repetitions are written out' };
    return { isIn: (text) => compiled.test(text) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { problem: `cannot be read: ${error.message.replace(/^error parsing regexp: /, '')}` };
  }
}
