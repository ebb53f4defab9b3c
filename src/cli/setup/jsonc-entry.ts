/**
 * Sets and removes one entry of a list in a JSON file that may hold comments and trailing commas (JSONC), as the settings of editors do.
 * Every byte outside the entry is unchanged, so the file is never parsed into values and written back.
 */
import { isDeepStrictEqual } from 'node:util';
import { type EntryPath, UnreadableSettings } from './settings-entry.ts';

type JsonObject = { kind: 'object'; start: number; end: number; members: Member[] };
type JsonValue = JsonObject | { kind: 'other'; start: number; end: number };
/** `comma` is the offset of the comma after the value; null: there is none. */
type Member = { key: string; start: number; value: JsonValue; comma: number | null };

const DEPTH_MAX = 200;
const BYTE_ORDER_MARK = '\uFEFF';
const DEFAULT_UNIT = '  ';

/** Returns the text with the entry `{ [list]: { [name]: value } }`, added as the first of its object or in place of the present one. */
export function setJsonEntry(text: string, { list, name }: EntryPath, value: object): string {
  const layout = readLayout(text);
  if (text.replace(BYTE_ORDER_MARK, '').trim() === '') {
    const whole = formatValue({ [list]: { [name]: value } }, '', layout);
    return `${text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''}${whole}${layout.eol}`;
  }
  const root = readRoot(text);
  const found = findMember(root, list);
  if (found === undefined) return insertMember(text, root, [list, { [name]: value }]);
  const entries = requireObject(text, found);
  const present = findMember(entries, name);
  if (present === undefined) return insertMember(text, entries, [name, value]);
  const { start, end } = present.value;
  if (holdsValue(text.slice(start, end), value)) return text;
  return text.slice(0, start) + formatValue(value, readIndent(text, present.start), layout) + text.slice(end);
}

/** Returns the text without the entry; the same text if there is none. */
export function removeJsonEntry(text: string, { list, name }: EntryPath): string {
  if (text.replace(BYTE_ORDER_MARK, '').trim() === '') return text;
  const found = findMember(readRoot(text), list);
  if (found === undefined) return text;
  const { members } = requireObject(text, found);
  const place = members.findLastIndex(({ key }) => key === name);
  const member = members[place];
  if (member === undefined) return text;
  const from = startWithIndent(text, member.start);
  if (member.comma !== null) return text.slice(0, from) + text.slice(member.comma + 1);
  const before = members[place - 1]?.comma ?? null;
  const rest = text.slice(member.value.end);
  return before === null
    ? text.slice(0, from) + rest
    : text.slice(0, before) + text.slice(before + 1, from) + rest;
}

/** Returns whether the text parses to the value; a text with comments never does. */
function holdsValue(text: string, value: object): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch {
    return false;
  }
}

/** Finds the last member with the key, since `JSON.parse` takes that one too. */
function findMember({ members }: JsonObject, name: string): Member | undefined {
  return members.findLast(({ key }) => key === name);
}

function requireObject(text: string, { key, value }: Member): JsonObject {
  if (value.kind === 'object') return value;
  throw new UnreadableSettings(`line ${countLine(text, value.start)}: "${key}" is not an object`);
}

/**
 * Inserts a member as the first one, so that neither the last member's comma nor a comment behind it has to move. A comment on the line
 * of the opening brace stays there.
 */
function insertMember(text: string, object: JsonObject, [key, value]: [string, object]): string {
  const layout = readLayout(text);
  const inside = object.start + 1;
  const [first] = object.members;
  const own = readIndent(text, object.start);
  const lineEnd = findBlankLineEnd(text, inside);
  if (lineEnd === null && first !== undefined) {
    const inline = `${JSON.stringify(key)}: ${JSON.stringify(value)}, `;
    return text.slice(0, first.start) + inline + text.slice(first.start);
  }
  const indent = first === undefined || lineEnd === null ? own + layout.unit : readIndent(text, first.start);
  const member = `${layout.eol}${indent}${JSON.stringify(key)}: ${formatValue(value, indent, layout)}`;
  if (lineEnd !== null)
    return text.slice(0, lineEnd) + member + (first === undefined ? '' : ',') + text.slice(lineEnd);
  const rest = text.slice(inside).replace(/^[ \t]+/, '');
  return `${text.slice(0, inside)}${member}${layout.eol}${own}${rest}`;
}

/** Returns the end of the line if it holds only space and a line comment from `offset` on; else null. */
function findBlankLineEnd(text: string, offset: number): number | null {
  const feed = text.indexOf('\n', offset);
  if (feed === -1) return null;
  const end = text[feed - 1] === '\r' ? feed - 1 : feed;
  const rest = text.slice(offset, end).trim();
  return rest === '' || rest.startsWith('//') ? end : null;
}

type Layout = { eol: string; unit: string };

/** Reads the line ending and the unit of indentation, which is that of the first indented line. */
function readLayout(text: string): Layout {
  const unit = /\n([ \t]+)["/]/.exec(text)?.[1] ?? DEFAULT_UNIT;
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit };
}

/** Returns the white space at the beginning of the line of `offset`. */
function readIndent(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function formatValue(value: object, indent: string, { eol, unit }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

/** Returns the offset where the line of `offset` begins, with its line feed, if only space precedes it. */
function startWithIndent(text: string, offset: number): number {
  let from = offset;
  while (text[from - 1] === ' ' || text[from - 1] === '\t') from--;
  if (text[from - 1] !== '\n') return from;
  return text[from - 2] === '\r' ? from - 2 : from - 1;
}

const countLine = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Reads the text as an object with comments. Throws UnreadableSettings with the line of the first fault. */
function readRoot(text: string): JsonObject {
  let at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const root = readValue(0);
  if (root.kind !== 'object') throw new UnreadableSettings('it does not hold an object');
  skipSpace();
  if (at < text.length) refuse();
  return root;

  function refuse(what = `unexpected ${at < text.length ? JSON.stringify(text[at]) : 'end'}`): never {
    throw new UnreadableSettings(`line ${countLine(text, at)}: ${what}`);
  }

  function skipSpace(): void {
    for (;;) {
      while (/\s/.test(text[at] ?? '.')) at++;
      if (text.startsWith('//', at)) at = findEnd('\n', at);
      else if (text.startsWith('/*', at)) {
        const end = text.indexOf('*/', at + 2);
        if (end === -1) refuse('a comment does not end');
        at = end + 2;
      } else return;
    }
  }

  function findEnd(mark: string, from: number): number {
    const end = text.indexOf(mark, from);
    return end === -1 ? text.length : end;
  }

  function readValue(depth: number): JsonValue {
    skipSpace();
    if (depth > DEPTH_MAX) refuse('it is nested too deeply');
    const start = at;
    if (text[at] === '{') return readObject(depth);
    if (text[at] === '[') readArray(depth);
    else if (text[at] === '"') readString();
    else readLiteral();
    return { kind: 'other', start, end: at };
  }

  function readObject(depth: number): JsonObject {
    const start = at++;
    const members: Member[] = [];
    for (skipSpace(); text[at] !== '}'; skipSpace()) {
      const last = members.at(-1);
      if (text[at] !== '"' || last?.comma === null) refuse();
      const keyStart = at;
      const key = readString();
      skipSpace();
      if (text[at++] !== ':') refuse('a ":" is missing');
      const member: Member = { key, start: keyStart, value: readValue(depth + 1), comma: null };
      members.push(member);
      skipSpace();
      if (text[at] === ',') member.comma = at++;
    }
    return { kind: 'object', start, end: ++at, members };
  }

  function readArray(depth: number): void {
    at++;
    let isSeparated = true;
    for (skipSpace(); text[at] !== ']'; skipSpace()) {
      if (!isSeparated) refuse();
      readValue(depth + 1);
      skipSpace();
      isSeparated = text[at] === ',';
      if (isSeparated) at++;
    }
    at++;
  }

  function readString(): string {
    const start = at++;
    while (at < text.length && text[at] !== '"' && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
    if (text[at] !== '"') refuse('a string does not end');
    at++;
    try {
      return JSON.parse(text.slice(start, at)) as string;
    } catch {
      return refuse('a string holds an invalid character');
    }
  }

  function readLiteral(): void {
    const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/.exec(
      text.slice(at, at + 64),
    );
    if (literal === null) refuse();
    at += literal[0].length;
  }
}
