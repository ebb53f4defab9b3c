import { type Selector, validateSelector } from '../../pages/extract/extras/selector.ts';
import type { JsonObject } from '../calls/call.ts';

/** Parses a selector; returns null after a complaint. */
export function parseSelector(text: string, complain: (message: string) => void): Selector | null {
  const read = validateSelector(text);
  if (typeof read === 'string') return read;
  complain(`the selector "${text.slice(0, 80)}" ${read.problem}`);
  return null;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
