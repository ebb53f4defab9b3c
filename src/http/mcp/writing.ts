import type { JsonObject } from '../calls/call.ts';
import { isObject } from '../calls/json-body.ts';

/** Reads a field of an answer as text; empty if absent. */
export function readTextField(answer: unknown, name: string): string {
  const value = readField(answer, name);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function readTextList(answer: unknown, name: string): string[] {
  return readList(answer, name).filter((entry) => typeof entry === 'string');
}

export function readRecords(answer: unknown, name: string): JsonObject[] {
  return readList(answer, name).filter(isObject);
}

export function readField(answer: unknown, name: string): unknown {
  return isObject(answer) ? answer[name] : undefined;
}

/** Marks every line of a passage as quoted, so that the text of a page is never mistaken for the service's own. */
export function formatQuote(passage: string): string {
  return passage.trim().replace(/^/gm, '> ');
}

/** Collects the links to the passages of an answer. */
export type PassageLinks = {
  /** Adds a link and returns its mark; empty if the link is missing or leads only to the page itself. */
  mark(link: string, page: string): string;
  /** Returns the end of the answer: each mark with its link, without the address of the page, which the answer has shown. */
  text(): string;
};

/** Creates the footnotes of an answer. They cost fewer tokens than links between the passages, and a cut leaves them for the end. */
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
/** Minimum words at the beginning of a passage that find it without its end. */
const OPENING_WORDS_MIN = 4;

/** Formats one footnote. The link needs only the first words of the passage; the answer shows where it ends. */
export function formatFootnote(mark: string, link: string, page: string): string {
  const at = link.indexOf(DIRECTIVE) + DIRECTIVE.length;
  const [opening = ''] = link.slice(at).split(',');
  const isFound = link.includes(DIRECTIVE) && opening.split(WORD_END).length >= OPENING_WORDS_MIN;
  const short = isFound ? link.slice(0, at) + opening : link;
  return `${mark} ${short.startsWith(page) ? short.slice(page.length) : short}`;
}

/** Formats the footnotes below their heading; empty if there are none. */
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
