/**
 * Sets and removes one table `[list.name]` of a TOML file (https://toml.io/en/v1.0.0). Every byte outside the table is unchanged: the file
 * is divided into its lines of meaning, headers and pairs, and values are only delimited, never read.
 */
import { type EntryPath, UnreadableSettings } from './settings-entry.ts';

/** A header `[path]`, or a pair whose key has the full path; `end` is behind its line. */
type Statement = { kind: 'header' | 'pair'; path: string[]; start: number; end: number };

/** Values of an entry: texts, lists of texts and tables of texts. */
export type TomlEntry = Record<string, string | string[] | Record<string, string>>;

/** Returns the text with the table at its end, in place of the present one. */
export function setTomlEntry(text: string, path: EntryPath, entry: TomlEntry): string {
  const without = removeTomlEntry(text, path);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = without === '' ? '' : without.endsWith('\n') ? eol : eol + eol;
  const pairs = Object.entries(entry).map(([key, value]) => `${key} = ${formatTomlValue(value)}`);
  return `${without}${gap}${[`[${path.list}.${path.name}]`, ...pairs].join(eol)}${eol}`;
}

/** Returns the text without the table and those below it; the same text if there is none. Refuses an entry in another notation. */
export function removeTomlEntry(text: string, { list, name }: EntryPath): string {
  const statements = readStatements(text);
  const isBelow = ([first, second]: string[]): boolean => first === list && second === name;
  const cuts: { from: number; to: number }[] = [];
  let open: { from: number; to: number } | null = null;
  for (const { kind, path, start, end } of statements) {
    const isInline = kind === 'pair' && path.length === 1 && path[0] === list;
    if (isInline || (kind === 'pair' && open === null && isBelow(path)))
      throw new UnreadableSettings(
        `line ${countLine(text, start)}: ${list}.${name} is not written as a table [${list}.${name}]`,
      );
    if (kind === 'header') {
      open = isBelow(path) ? { from: startWithGap(text, start), to: end } : null;
      if (open !== null) cuts.push(open);
    } else if (open !== null) open.to = end;
  }
  return cuts.reduceRight((rest, { from, to }) => rest.slice(0, from) + rest.slice(to), text);
}

/** JSON's strings are strings of TOML too. */
function formatTomlValue(value: TomlEntry[string]): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
  const pairs = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)} = ${JSON.stringify(item)}`,
  );
  return `{ ${pairs.join(', ')} }`;
}

/** Includes the empty line above a header, which was added with it. */
function startWithGap(text: string, start: number): number {
  const gap = /\n(\r?\n)$/.exec(text.slice(Math.max(0, start - 3), start))?.[1] ?? '';
  return start - gap.length;
}

const countLine = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

const BARE_KEY = /[\w-]+/y;
const BARE_VALUE = /\d{4}-\d\d-\d\d [\d:.]+(?:[Zz]|[+-][\d:]+)?|[\w.:+-]+/y;

/** Reads the headers and pairs of a text. Throws UnreadableSettings with the line of the first fault. */
function readStatements(text: string): Statement[] {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let table: string[] = [];
  const statements: Statement[] = [];
  for (skipLines(); at < text.length; skipLines()) {
    const start = at;
    const kind = text[at] === '[' ? 'header' : 'pair';
    if (kind === 'header') table = readHeader();
    const path = kind === 'header' ? table : [...table, ...readPair()];
    skipBlanks();
    skipComment();
    if (at < text.length && text[at] !== '\n' && !text.startsWith('\r\n', at)) refuse();
    at = Math.min(text.length, text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at) + 1);
    statements.push({ kind, path, start, end: at });
  }
  return statements;

  function refuse(what = `unexpected ${at < text.length ? JSON.stringify(text[at]) : 'end'}`): never {
    throw new UnreadableSettings(`line ${countLine(text, at)}: ${what}`);
  }

  function skipBlanks(): void {
    while (text[at] === ' ' || text[at] === '\t') at++;
  }

  function skipComment(): void {
    if (text[at] !== '#') return;
    while (at < text.length && text[at] !== '\n' && !text.startsWith('\r\n', at)) at++;
  }

  /** Skips space, line ends and comments. */
  function skipLines(): void {
    for (;;) {
      while (/[ \t\r\n]/.test(text[at] ?? '.')) at++;
      if (text[at] !== '#') return;
      skipComment();
    }
  }

  function readHeader(): string[] {
    const brackets = text.startsWith('[[', at) ? 2 : 1;
    at += brackets;
    const path = readKey();
    if (!text.startsWith(']'.repeat(brackets), at)) refuse('a "]" is missing');
    at += brackets;
    return path;
  }

  function readPair(): string[] {
    const path = readKey();
    if (text[at] !== '=') refuse('a "=" is missing');
    at++;
    skipBlanks();
    skipValue(0);
    return path;
  }

  /** Reads a dotted key and the blanks around it. */
  function readKey(): string[] {
    const path: string[] = [];
    do {
      if (path.length > 0) at++;
      skipBlanks();
      path.push(readKeyPart());
      skipBlanks();
    } while (text[at] === '.');
    return path;
  }

  function readKeyPart(): string {
    const start = at;
    if (text[at] === '"' || text[at] === "'") {
      skipString();
      return text.slice(start + 1, at - 1);
    }
    skipBare(BARE_KEY);
    return text.slice(start, at);
  }

  function skipBare(pattern: RegExp): void {
    pattern.lastIndex = at;
    const [bare] = pattern.exec(text) ?? refuse();
    at += bare.length;
  }

  function skipValue(depth: number): void {
    if (depth > 100) refuse('it is nested too deeply');
    if (text[at] === '"' || text[at] === "'") skipString();
    else if (text[at] === '[') skipItems(']', () => skipValue(depth + 1));
    else if (text[at] === '{')
      skipItems('}', () => {
        readKey();
        if (text[at++] !== '=') refuse('a "=" is missing');
        skipBlanks();
        skipValue(depth + 1);
      });
    else skipBare(BARE_VALUE);
  }

  function skipItems(end: ']' | '}', skipItem: () => void): void {
    at++;
    let isSeparated = true;
    for (skipLines(); text[at] !== end; skipLines()) {
      if (!isSeparated || at >= text.length) refuse();
      skipItem();
      skipLines();
      isSeparated = text[at] === ',';
      if (isSeparated) at++;
    }
    at++;
  }

  function skipString(): void {
    const quote = text[at] ?? '';
    const mark = text.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote;
    at += mark.length;
    while (at < text.length && !text.startsWith(mark, at)) {
      if (mark.length === 1 && text[at] === '\n') break;
      at += quote === '"' && text[at] === '\\' ? 2 : 1;
    }
    if (!text.startsWith(mark, at)) refuse('a string does not end');
    at += mark.length;
    // Two quotes may precede the three that end it.
    if (mark.length === 3) while (text[at] === quote) at++;
  }
}
