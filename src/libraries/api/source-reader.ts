/** The files of one package, read within bounds. A file that cannot be read is named once, with the reason, and the run goes on. */

import { type GrammarName, type Grammars, StoppedParsing, type SyntaxNode } from './open-grammars.ts';

export type SkippedFile = { path: string; reason: string };

/** Counts the steps of following one name: imports may lead in circles, and to many places at once. */
export type Trail = { steps: number };

export function canGoOn(trail: Trail): boolean {
  trail.steps += 1;
  return trail.steps <= LIMITS.stepsMax;
}

export type SourceReader = {
  /** Sorted. */
  paths: readonly string[];
  getText(path: string): string | null;
  /** Parses a file; null where it was skipped. A file with syntax errors is read as far as possible and named too. */
  read<Result>(
    path: string,
    grammar: GrammarName,
    read: (root: SyntaxNode, text: string) => Result,
  ): Result | null;
  /** Parses a part of a file, such as the items inside a macro; null where that fails. */
  readPart<Result>(grammar: GrammarName, text: string, read: (root: SyntaxNode) => Result): Result | null;
  skip(path: string, reason: string): void;
  skipped: SkippedFile[];
};

const COMPILER_ANNOTATION =
  /^@(?:(?:file|get|set|field|param):)?(?:SuppressWarnings|Suppress|Jvm\w+|Deprecated)\b/;

export const LIMITS = {
  filesMax: 20_000,
  fileCharsMax: 1_000_000,
  parseMs: 5_000,
  /** Below the time after which the thread is ended, so that what was read until then counts. */
  allMs: 90_000,
  /** Namespaces, classes and modules inside each other. */
  nestingMax: 12,
  /** Files and names that one name is followed through, on all ways together. */
  stepsMax: 1_000,
  /** Declarations of one name. */
  overloadsMax: 200,
  declarationsMax: 200_000,
  signatureCharsMax: 4_000,
  docCharsMax: 40_000,
  skippedMax: 1_000,
} as const;

/** `now` is a clock in milliseconds. */
export function createSourceReader(
  files: ReadonlyMap<string, string>,
  parse: Grammars,
  now: () => number,
): SourceReader {
  const begin = now();
  const skipped: SkippedFile[] = [];
  let parsed = 0;
  const skip = (path: string, reason: string): void => {
    const isKnown = skipped.some((entry) => entry.path === path);
    if (!isKnown && skipped.length < LIMITS.skippedMax) skipped.push({ path, reason });
  };
  const findObstacle = (text: string): string | null => {
    if (text.length > LIMITS.fileCharsMax) return `longer than ${LIMITS.fileCharsMax} characters`;
    if (parsed >= LIMITS.filesMax) return `more than ${LIMITS.filesMax} files`;
    if (now() - begin > LIMITS.allMs) return `the package took more than ${LIMITS.allMs / 1_000} seconds`;
    return null;
  };
  const parseText = <Result>(
    grammar: GrammarName,
    text: string,
    read: (root: SyntaxNode) => Result,
  ): Result => {
    const parseBegin = now();
    return parse(grammar, text, () => now() - parseBegin > LIMITS.parseMs, read);
  };
  return {
    paths: [...files.keys()].sort(),
    getText: (path) => files.get(path) ?? null,
    read(path, grammar, read) {
      const text = files.get(path);
      if (text === undefined) return null;
      const obstacle = findObstacle(text);
      if (obstacle !== null) {
        skip(path, obstacle);
        return null;
      }
      parsed += 1;
      try {
        return parseText(grammar, grammar === 'typescript' ? blankVariance(text) : text, (root) => {
          const result = read(root, text);
          if (root.hasError) skip(path, `${describeSyntaxError(root)}; read in part`);
          return result;
        });
      } catch (error) {
        if (!isFaultOfText(error)) throw error;
        skip(path, `cannot be parsed: ${error.message}`);
        return null;
      }
    },
    readPart(grammar, text, read) {
      try {
        return findObstacle(text) === null ? parseText(grammar, text, read) : null;
      } catch (error) {
        if (!isFaultOfText(error)) throw error;
        return null;
      }
    },
    skip,
    skipped,
  };
}

/** A text can make the grammar run out of time or memory, and a reader out of stack. */
function isFaultOfText(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // WebAssembly's error, whose constructor the types of Node do not name.
  return error instanceof StoppedParsing || error instanceof RangeError || error.name === 'RuntimeError';
}

/** The grammar does not know `interface Box<in out T>`: these words become blanks, so that places stay the same. */
function blankVariance(text: string): string {
  return text.replace(
    /((?:[<,]|\*\/)\s{0,99})((?:in[ \t]+)?out|in)(?=[ \t]+[\w$]+\s{0,99}(?:extends\b|[=,>]))/g,
    (_, before: string, words: string) => before + ' '.repeat(words.length),
  );
}

/** Finds the first error below a node whose subtree has one. Descends only where errors are. */
function describeSyntaxError(root: SyntaxNode): string {
  let node = root;
  for (let depth = 0; depth < 1_000; depth++) {
    if (node.isError || node.isMissing) break;
    const next = node.children.find((child) => child.hasError || child.isError || child.isMissing);
    if (next === undefined) break;
    node = next;
  }
  return `syntax error at line ${node.startPosition.row + 1}`;
}

/** Cuts a piece out of a source as a signature: later lines lose the indentation of the line on which it begins. */
export function cutSignature(source: string, begin: number, end: number): string {
  const lineBegin = source.lastIndexOf('\n', begin - 1) + 1;
  const indent = countBlanks(source.slice(lineBegin, begin));
  const lines = source.slice(begin, Math.min(end, begin + 2 * LIMITS.signatureCharsMax)).split('\n');
  return boundSignature(
    lines
      .map((line, index) => (index === 0 ? line : line.slice(Math.min(indent, countBlanks(line)))))
      .join('\n'),
  );
}

function countBlanks(line: string): number {
  return line.length - line.trimStart().length;
}

/** What is too long ends with `…`. */
export function boundSignature(text: string): string {
  const whole = text.replaceAll('\r', '').trim();
  return whole.length <= LIMITS.signatureCharsMax ? whole : `${whole.slice(0, LIMITS.signatureCharsMax)}…`;
}

/** The text of a node up to its body, or all of it. */
export function readHead(node: SyntaxNode, source: string, body: SyntaxNode | null): string {
  return cutSignature(source, node.startIndex, body?.startIndex ?? node.endIndex);
}

/** The head of a declaration without those annotations that are for compilers. */
export function readAnnotatedHead(node: SyntaxNode, source: string, end: number): string {
  const modifiers = node.namedChildren.find(({ type }) => type === 'modifiers');
  const dropped = modifiers?.namedChildren.filter(({ text }) => COMPILER_ANNOTATION.test(text)) ?? [];
  if (dropped.length === 0) return cutSignature(source, node.startIndex, end);
  const indent = countBlanks(
    source.slice(source.lastIndexOf('\n', node.startIndex - 1) + 1, node.startIndex),
  );
  let kept = '';
  let place = node.startIndex;
  for (const { startIndex, endIndex } of dropped) {
    kept += source.slice(place, startIndex);
    place =
      endIndex +
      (/^[ \t]*(?:\/\/[^\n]*)?\r?\n?[ \t]*/.exec(source.slice(endIndex, endIndex + 300))?.[0].length ?? 0);
  }
  const head = `${' '.repeat(indent)}${kept}${source.slice(place, end)}`;
  return cutSignature(head, indent, head.length);
}

/** Removes a mark that stood between a head and what was cut off. */
export function dropEnd(signature: string, ...marks: readonly string[]): string {
  const mark = marks.find((candidate) => signature.endsWith(candidate));
  return mark === undefined ? signature : signature.slice(0, -mark.length).trimEnd();
}

export const lineOf = (node: SyntaxNode): number => node.startPosition.row + 1;
