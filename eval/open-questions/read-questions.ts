import { readFileSync } from 'node:fs';
import type { OpenQuestion } from './judge.ts';

const FIELDS = ['question', 'answer', 'urls'] as const;
const ADDRESS = /https?:\/\/[^\s'"<>,\]]+/g;

/** Reads JSON lines, or a table whose first row names its columns. `map`: `question=problem,answer=…,urls=…`; a field that is not named is a column of its own name. */
export function readQuestions(path: string, map: string): OpenQuestion[] {
  const named = new Map(map.split(',').map((pair) => pair.split('=', 2) as [string, string]));
  const [question, answer, urls] = FIELDS.map((field) => named.get(field) ?? field);
  const text = readFileSync(path, 'utf8');
  const rows: Record<string, unknown>[] = text.trimStart().startsWith('{') ? linesOf(text) : tableOf(text);
  return rows
    .map((row) => ({
      question: String(row[question ?? ''] ?? ''),
      answer: String(row[answer ?? ''] ?? ''),
      urls: addressesIn(row[urls ?? '']),
    }))
    .filter((one) => one.question !== '');
}

/** Also in a list, or in a text that holds one. */
const addressesIn = (value: unknown): string[] =>
  (typeof value === 'string' ? value : JSON.stringify(value ?? '')).match(ADDRESS) ?? [];

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));

function tableOf(text: string): Record<string, unknown>[] {
  const separator = text.slice(0, text.indexOf('\n')).includes('\t') ? '\t' : ',';
  const [names = [], ...rows] = cellsOf(text, separator);
  return rows.map((row) => Object.fromEntries(names.map((name, place) => [name.trim(), row[place] ?? ''])));
}

/** RFC 4180: a cell in quotes may hold separators, line breaks, and quotes that are doubled. */
function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let [row, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') cell += text[++at];
      else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === separator || character === '\n') {
      row.push(cell.replace(/\r$/, ''));
      cell = '';
      if (character === separator) continue;
      rows.push(row);
      row = [];
    } else cell += character;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  return rows;
}
