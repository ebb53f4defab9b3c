import { createRequire } from 'node:module';
import { SITE } from '../../contract/limits.ts';
import { createLazy } from '../../platform/lazy.ts';

/** A caller's regular expression, which matches anywhere in a text unless anchored by `^` and `$`. */
export type UrlPattern = { isIn(text: string): boolean };

/** Loaded synchronously on first use: the engine is large, few calls have patterns, and patterns are compiled during validation. */
// `require` returns no types.
const engine = createLazy(() => createRequire(import.meta.url)('re2js') as typeof import('re2js'));
/** Maximum instructions of a compiled pattern, which bounds the cost of matching one character. */
const PROGRAM_SIZE_MAX = 1_000;

/**
 * Compiles a pattern in RE2 syntax (no look-around, no back-references), which matches in time linear in the text; a hostile
 * pattern could keep JavaScript's own engine busy for hours. Returns the problem if the pattern cannot be used.
 */
export function compilePattern(pattern: string): UrlPattern | { problem: string } {
  if (pattern.length > SITE.patterns.charsMax)
    return { problem: `has more than ${SITE.patterns.charsMax} characters` };
  const { RE2JS, RE2JSException } = engine();
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
