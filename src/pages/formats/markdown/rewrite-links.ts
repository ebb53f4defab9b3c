import { resolveLink } from '../plain-article.ts';

const LINKS_MAX = 2_000;
const LABEL_CHARS_MAX = 999;
const TARGET_CHARS_MAX = 8_192;
/** Maximum nesting of brackets within a target: the specification requires support for at least this. */
const NESTED_MAX = 32;

/** The context of a page's links: its address, its reference definitions, and the links found so far. */
export type LinkContext = { base: string; definitions: Map<string, string>; links: Set<string> };

/** `restored` puts back the code that marks stand for in a label. */
type RewriteContext = LinkContext & { restored(text: string): string };

/** Matches `[label]: target "title"`, but no footnote. */
const DEFINITION =
  /^ {0,3}\[(?!\^)((?:[^[\]\\]|\\.){1,999})\]:[ \t]{0,99}(<[^<>]{0,8192}>|[^\s<]\S{0,8191})(?:[ \t]{1,99}["'(].{0,2000}["')])?[ \t]{0,99}$/;

/** Matches a definition whose target is on the next line. */
const BEGINNING = /^ {0,3}\[(?!\^)(?:[^[\]\\]|\\.){1,999}\]:[ \t]{0,99}$/;

type Definition = { label: string; target: string; lines: 1 | 2 };

/** Returns the reference that a line defines, by itself or with the next line, or null. */
export function parseDefinition(line: string, next: string): Definition | null {
  const isTwo = BEGINNING.test(line) && next.trim() !== '';
  const [, label = '', target = ''] =
    DEFINITION.exec(isTwo ? `${line.trimEnd()} ${next.trim()}` : line) ?? [];
  if (label.trim() === '') return null;
  return { label: normalizeLabel(label), target: target.replace(/^<(.*)>$/, '$1'), lines: isTwo ? 2 : 1 };
}

const normalizeLabel = (text: string): string => text.trim().toLowerCase().replace(/\s+/g, ' ');

/** Addresses of badges: pictures that state versions, build results and the like. */
const BADGE =
  /\bshields\.io\/|\bbadgen\.net\/|\bbadge\.fury\.io\/|\bnodei\.co\/|\btravis-ci\.(?:org|com)\/|\bci\.appveyor\.com\/api\/|\bcoveralls\.io\/repos\/|\bcodecov\.io\/|\bcircleci\.com\/|\bdavid-dm\.org\/|\bsnyk\.io\/test\/|\bopencollective\.com\/[^?#]{1,200}\/badge|\bdeps\.rs\/|\bdocs\.rs\/[^?#]{1,200}\/badge|\bgoreportcard\.com\/badge|\bgodoc\.org\/[^?#]{1,200}\?status|\bpkg\.go\.dev\/badge|[/.-]badges?(?:[/.?-]|$)|\/(?:build[-_]?)?status\.(?:svg|png)\b|\bversionbadg\.es\/|\bisitmaintained\.com\//i;

/** An open bracket and the text within it so far. */
type Frame = { isImage: boolean; text: string; source: number };

/**
 * Writes every link and picture of a text inline with an absolute address; badges and links that are left without text are dropped. The
 * text is read once from left to right; anything else stays as written.
 */
export function rewriteLinks(text: string, context: RewriteContext): string {
  const frames: Frame[] = [{ isImage: false, text: '', source: 0 }];
  const write = (piece: string): void => {
    const frame = frames.at(-1);
    if (frame !== undefined) frame.text += piece;
  };
  let at = 0;
  while (at < text.length) {
    const next = findBracket(text, at);
    write(text.slice(at, next));
    at = next;
    if (text[at] === ']' && frames.length > 1) at = closeBracket(text, { at, frames, context, write });
    else if (text.startsWith('![', at)) at = openBracket(frames, { isImage: true, source: at + 2 });
    else if (text[at] === '[') at = openBracket(frames, { isImage: false, source: at + 1 });
    else if (at < text.length) write(text[at++] ?? '');
  }
  return frames
    .map(({ isImage, text: within }, depth) => (depth === 0 ? '' : isImage ? '![' : '[') + within)
    .join('');
}

function findBracket(text: string, from: number): number {
  BRACKET.lastIndex = from;
  return BRACKET.exec(text)?.index ?? text.length;
}
const BRACKET = /!\[|[[\]]/g;

function openBracket(frames: Frame[], { isImage, source }: { isImage: boolean; source: number }): number {
  frames.push({ isImage, text: '', source });
  return source;
}

type ClosingBracket = { at: number; frames: Frame[]; context: RewriteContext; write(piece: string): void };

/** Closes the innermost bracket at `at`; returns where the text goes on. */
function closeBracket(text: string, { at, frames, context, write }: ClosingBracket): number {
  const frame = frames.pop();
  if (frame === undefined) return at + 1;
  const own = text.slice(frame.source, at);
  const mark = frame.isImage ? '![' : '[';
  const inline = parseTarget(text, at + 1);
  const label = inline === null ? parseLabel(text, at + 1) : null;
  const named = inline === null ? resolveReference({ own, label: label?.text ?? null }, context) : null;
  const end = inline?.end ?? (named === null ? at + 1 : (label?.end ?? at + 1));
  const target = inline?.target ?? named;
  if (target === null) write(`${mark}${frame.text}]`);
  else {
    const address = resolveTarget(target, { ...context, isImage: frame.isImage });
    const isEmpty = frame.isImage ? BADGE.test(address) : frame.text.trim() === '' && own.trim() !== '';
    if (!isEmpty && !(frame.text.trim() === '' && !frame.isImage))
      write(`${mark}${frame.text}](${address}${inline?.title ?? ''})`);
  }
  return end;
}

/** Returns the target of a full, collapsed or shortcut reference, or null. */
function resolveReference(
  { own, label }: { own: string; label: string | null },
  { definitions, restored }: RewriteContext,
): string | null {
  const name = label === null || label.trim() === '' ? own : label;
  return name.length > LABEL_CHARS_MAX ? null : (definitions.get(normalizeLabel(restored(name))) ?? null);
}

/** Parses `[label]` after a bracket. */
function parseLabel(text: string, from: number): { text: string; end: number } | null {
  if (text[from] !== '[') return null;
  const end = text.indexOf(']', from + 1);
  return end === -1 || end - from > LABEL_CHARS_MAX
    ? null
    : { text: text.slice(from + 1, end), end: end + 1 };
}

/** Parses `(target "title")` after a bracket; the target may be in `<>`, or have balanced brackets. */
function parseTarget(text: string, from: number): { target: string; title: string; end: number } | null {
  if (text[from] !== '(') return null;
  const end = findTargetEnd(text, from + 1);
  if (end === -1) return null;
  const [, pointed, plain = ''] =
    /^\s{0,99}(?:<([^<>\n]{0,8192})>|(\S{0,8192}))/.exec(text.slice(from + 1, end)) ?? [];
  const target = pointed ?? plain;
  const behind = text
    .slice(from + 1, end)
    .trim()
    .slice(pointed === undefined ? plain.length : pointed.length + 2);
  if (behind !== '' && !/^\s+["'(]/.test(behind)) return null;
  return { target, title: behind === '' ? '' : ` ${behind.trim()}`, end: end + 1 };
}

/** Returns the index of the bracket that ends a target, or -1. */
function findTargetEnd(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  const last = Math.min(text.length, from + TARGET_CHARS_MAX);
  for (let at = from; at < last; at += 1) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (/["']/.test(char) && /\s/.test(text[at - 1] ?? '')) quote = char;
    else if (char === '(' && ++depth > NESTED_MAX) return -1;
    else if (char === ')' && depth === 0) return at;
    else if (char === ')') depth -= 1;
    else if (char === '\n' && text[at + 1] === '\n') return -1;
  }
  return -1;
}

/** Makes an address absolute and records it as a link; a fragment of the page itself, and text that is no address, stay as written. */
function resolveTarget(
  written: string,
  { base, links, isImage }: Pick<LinkContext, 'base' | 'links'> & { isImage: boolean },
): string {
  const href = written.trim();
  if (href === '' || href.startsWith('#')) return href;
  const target = resolveLink(href, base);
  const whole = URL.parse(href, base)?.href;
  if (target !== null && !isImage && links.size < LINKS_MAX) links.add(target);
  const shown = /^[a-z][a-z\d+.-]*:/i.test(href) ? href : (whole ?? href);
  return /\s|\(|\)/.test(shown)
    ? (whole ?? shown).replaceAll('(', '%28').replaceAll(')', '%29').replace(/\s/g, '%20')
    : shown;
}
