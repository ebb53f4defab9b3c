import { hasKnownRarities } from '../query/question.ts';
import type { AnswerPage } from './quotation.ts';

/** The kind of a page: prose and technical pages have separate weights. */
export type PageKind = 'prose' | 'technical';

export const PAGE_KINDS: readonly PageKind[] = ['prose', 'technical'];

const CHARS_READ = 20_000;
/** Minimum code spans, fences and program names (`max_size`, `read()`, `--force`) per thousand characters of a technical page. */
const MARKS_MIN = 0.5;
const MARKS =
  /`[^`\n]{1,80}`|^[ >]{0,8}```|[a-zA-Z0-9]_[a-zA-Z0-9]|[a-zA-Z]\(\)|(?<=[\s(])--[a-z]|[a-z]::[a-z]/gm;

/**
 * Detects the kind of most of these pages; prose when both are equally frequent, and when the rarity of the language's words is
 * unknown: there are too few questions about manuals in other languages to learn from.
 */
export function detectPageKind(pages: readonly Pick<AnswerPage, 'markdown' | 'language'>[]): PageKind {
  return pages.filter(isTechnical).length > pages.length / 2 ? 'technical' : 'prose';
}

function isTechnical({ markdown, language }: Pick<AnswerPage, 'markdown' | 'language'>): boolean {
  if (!hasKnownRarities(language)) return false;
  const text = markdown.slice(0, CHARS_READ);
  const marks = text.match(MARKS)?.length ?? 0;
  return marks * 1_000 >= MARKS_MIN * text.length && marks > 1;
}
