import { isElement, type TreeElement } from '../../tree.ts';
import { readTextBelow } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';

const RAISED: Record<string, string> = Object.fromEntries(
  [...'0123456789+-−=()n'].map((c, at) => [c, [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ'][at] ?? c]),
);
const LOWERED: Record<string, string> = Object.fromEntries(
  [...'0123456789+-−=()'].map((c, at) => [c, [...'₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎'][at] ?? c]),
);
/** Texts raised only by typographic custom: ordinals, trademarks, daggers. */
const CUSTOM = /^(?:st|nd|rd|th|e|er|re|ème|o|a|º|ª|tm|sm|®|©|™|℠|†|‡|\*+)$/i;

/**
 * Renders `sup` and `sub`, for which Markdown has no syntax: digits become raised or lowered digits ("m²"), customary raising
 * becomes plain text ("20th"), and only the rest keeps its tag.
 */
export function renderSupOrSub(element: TreeElement, context: WriterContext): string {
  const raw = context.inline(element.children);
  const text = readTextBelow(element, true).trim();
  if (text === '' || raw.includes('](') || raw.includes('[^')) return raw;
  if (element.tag === 'sup' && CUSTOM.test(text)) return raw;
  const digits = element.tag === 'sup' ? RAISED : LOWERED;
  const chars = [...text];
  if (chars.every((char) => Object.hasOwn(digits, char))) return chars.map((char) => digits[char]).join('');
  return `<${element.tag}>${raw.trim()}</${element.tag}>`;
}

/** Renders `ruby` as the base followed by its reading in parentheses. */
export function renderRuby(element: TreeElement, context: WriterContext): string {
  let base = '';
  let reading = '';
  for (const child of element.children) {
    const part = context.inline([child]).trim();
    if (isElement(child) && (child.tag === 'rt' || child.tag === 'rtc')) reading += part;
    else base += part;
  }
  return reading === '' ? base : `${base}(${reading})`;
}
