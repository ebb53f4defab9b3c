import type { JsonObject } from '../calls/call.ts';

/** A field of an answer as text; blank when it is not there. */
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

/** Every line of a passage marked as quoted, so that a page's words are never taken for ours. */
export function quoted(passage: string): string {
  return passage.trim().replace(/^/gm, '> ');
}

/** A passage as quoted, and below it the link that opens its page where it stands, when there is one. */
export function cited(passage: string, link: string): string {
  return link === '' ? quoted(passage) : `${quoted(passage)}\n${link}`;
}

/** Parts of an answer, one under the other; blank ones are left out. */
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
