import type { JsonObject } from '../calls/call.ts';

/** A field of an answer as text; empty if absent. */
export function readTextField(answer: unknown, name: string): string {
  const value = readField(answer, name);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function readTextList(answer: unknown, name: string): string[] {
  return readList(answer, name).filter((entry) => typeof entry === 'string');
}

export function readRecords(answer: unknown, name: string): JsonObject[] {
  return readList(answer, name).filter(isRecord);
}

export function readField(answer: unknown, name: string): unknown {
  return isRecord(answer) ? answer[name] : undefined;
}

/** Marks every line of a passage as quoted, so that a page's words are never mistaken for ours. */
export function formatQuote(passage: string): string {
  return passage.trim().replace(/^/gm, '> ');
}

/** Links to the passages of an answer. */
export type PassageLinks = {
  /** The mark for a link; empty if there is none but to the page itself. */
  mark(link: string, page: string): string;
  /** The end of the answer: each mark with its link, without the address of its page, which the answer has shown. */
  text(): string;
};

/** Footnotes cost fewer tokens than links between the passages, and a cut answer loses them last. */
export function createFootnotes(): PassageLinks {
  const lines: string[] = [];
  return {
    mark(link, page) {
      if (link === '' || link === page) return '';
      const mark = `[${lines.length + 1}]`;
      lines.push(formatFootnote(mark, link, page));
      return mark;
    },
    text: () => formatFootnotes(lines),
  };
}

const DIRECTIVE = ':~:text=';
const WORD_END = '%20';
/** So many words find a passage without its end. */
const OPENING_WORDS_MIN = 4;

/** One line of the footnotes. Where a passage ends the answer shows; the link needs only its first words. */
export function formatFootnote(mark: string, link: string, page: string): string {
  const at = link.indexOf(DIRECTIVE) + DIRECTIVE.length;
  const [opening = ''] = link.slice(at).split(',');
  const isFound = link.includes(DIRECTIVE) && opening.split(WORD_END).length >= OPENING_WORDS_MIN;
  const short = isFound ? link.slice(0, at) + opening : link;
  return `${mark} ${short.startsWith(page) ? short.slice(page.length) : short}`;
}

/** The footnotes below their heading; empty without any. */
export function formatFootnotes(lines: string[]): string {
  return lines.length === 0 ? '' : ["Links to passages (add to the page's URL):", ...lines].join('\n');
}

/** Joins the parts of an answer, leaving out empty ones. */
export function joinSections(parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function readList(answer: unknown, name: string): unknown[] {
  const value = readField(answer, name);
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
