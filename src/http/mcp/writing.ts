import type { JsonObject } from '../calls/call.ts';

/** A field of an answer as text; empty if absent. */
export function textOf(answer: unknown, name: string): string {
  const value = fieldOf(answer, name);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function textsOf(answer: unknown, name: string): string[] {
  return listOf(answer, name).filter((entry) => typeof entry === 'string');
}

export function recordsOf(answer: unknown, name: string): JsonObject[] {
  return listOf(answer, name).filter(isRecord);
}

export function fieldOf(answer: unknown, name: string): unknown {
  return isRecord(answer) ? answer[name] : undefined;
}

/** Marks every line of a passage as quoted, so that a page's words are never mistaken for ours. */
export function quoted(passage: string): string {
  return passage.trim().replace(/^/gm, '> ');
}

/** A quoted passage and, if there is one, the link that opens its page at the passage. */
export function cited(passage: string, link: string): string {
  return link === '' ? quoted(passage) : `${quoted(passage)}\n${link}`;
}

/** Joins the parts of an answer, leaving out empty ones. */
export function sections(parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function listOf(answer: unknown, name: string): unknown[] {
  const value = fieldOf(answer, name);
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
