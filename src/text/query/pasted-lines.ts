/**
 * Finds what is asked in a question that comes with pasted code, output or data. Such lines hold names and numbers of the asker's own
 * program, which no page has, and there are more of them than words of the question. The sentences, the comments in the code, the lines
 * of errors and the names of imported modules are what a page about it says too.
 */
import { isStopWord } from '../words/stop-words.ts';

const PROSE_WORDS_MIN = 4;
const COMMENT_WORDS_MIN = 3;
/** A sentence has at least so many words for each sign that code and tables are full of. */
const WORDS_PER_SIGN = 4;
/** With fewer telling words than these, the functions that the code calls are part of the question. */
const TELLING_MIN = 3;
const NAMES_MAX = 12;
const WORD = /[\p{L}]{2,}/gu;
const LOWER_CASE_WORD = /(?<![\p{L}\p{N}_])\p{Ll}{2,}(?=[\s,.?!:;'’]|$)/gu;
const CODE_SIGN = /[=[\]{}|()<>#]/g;
const COMMENT = /(?:^|\s)(?:#|\/\/|--)\s([\s\S]*)$/;
const ERROR = /^\s*(?:[\w.]*(?:Error|Exception|Warning)\b|error(?:\[\w+\])?:|panic:|fatal:)/;
const SENTENCE_END = /[.?!:]\s*$/;
/** Python, JavaScript, Java, Go, Rust, C and Ruby. */
const IMPORT = /^(?:>>>\s?)?(?:import|from|use|using|require|#include)\b|\brequire\(['"]/;
const QUOTED_MODULE = /['"<]([^'"<>]{1,200})['">]/;
const NAMED_MODULE = /^(?:>>>\s?)?(?:import|from|use|using|#include)\s{1,9}([\w.:]{1,200})/;
const CALLED = /(?<![\p{L}\p{N}_])([\p{L}_][\p{L}\p{N}_]{0,60})\(/gu;

/**
 * Returns the question in one line: a text of one line, and a text in which nothing else is a sentence, are returned as they are.
 * Takes linear time.
 */
export function selectAsked(text: string): string {
  const lines = text.split(/\r?\n/);
  if (lines.length === 1) return text;
  const modules = new Set<string>();
  const prose: string[] = [];
  const code: string[] = [];
  for (const line of lines) {
    const imported = readModule(line.trim());
    const comment = COMMENT.exec(line)?.[1];
    if (imported !== null) {
      for (const word of imported.match(WORD) ?? []) modules.add(word);
    } else if (comment !== undefined) {
      if (countMatches(comment, WORD) >= COMMENT_WORDS_MIN) prose.push(comment);
      else code.push(line);
    } else if (isSentence(line) || ERROR.test(line)) prose.push(line.trim());
    else code.push(line);
  }
  if (prose.length === 0) return text;
  const telling =
    prose
      .join(' ')
      .match(WORD)
      ?.filter((word) => !isStopWord(word.toLowerCase())) ?? [];
  const called = telling.length < TELLING_MIN ? findCalledNames(code) : [];
  return [...prose, ...called, ...[...modules].slice(0, NAMES_MAX)].join(' ');
}

/** Reads the module that a line imports; null for any other line. */
function readModule(line: string): string | null {
  if (!IMPORT.test(line) || SENTENCE_END.test(line)) return null;
  return (QUOTED_MODULE.exec(line) ?? NAMED_MODULE.exec(line))?.[1] ?? null;
}

function isSentence(line: string): boolean {
  const words = countMatches(line, LOWER_CASE_WORD);
  return (
    words >= PROSE_WORDS_MIN && countMatches(line, CODE_SIGN) * WORDS_PER_SIGN <= countMatches(line, WORD)
  );
}

function findCalledNames(code: readonly string[]): string[] {
  const names = [...code.join('\n').matchAll(CALLED)].map(([, name = '']) => name);
  return [...new Set(names)].slice(0, NAMES_MAX);
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
