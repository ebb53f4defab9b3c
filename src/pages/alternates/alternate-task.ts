import type { Article } from '../article.ts';
import { finishArticle } from '../article.ts';
import type { ExtractResult } from '../extract-task.ts';
import { decode } from '../formats/decode.ts';
import { detectFormat } from '../formats/detect-format.ts';
import { readMarkdown } from '../formats/markdown/read-markdown.ts';
import { toExtractFailure } from '../unreadable.ts';
import type { AlternateAnswer, AlternateTask } from './choose-alternates.ts';
import { findSection } from './llms-section.ts';
import { readOembed, writeSite } from './write-site.ts';

/**
 * Reads the answers of an alternate as the article of the page that they stand for, with no date after `lastDay`. Runs in a worker
 * thread.
 */
export function readAlternate(
  { answers, reading, route }: AlternateTask,
  lastDay: string | null,
): ExtractResult {
  try {
    const article = readArticle(answers, reading);
    if (article === null || article.markdown.trim() === '') return NOTHING;
    return { ok: true, article: { ...finishArticle(article, lastDay), readRoute: route } };
  } catch (error) {
    return toExtractFailure(error);
  }
}

const NOTHING = { ok: false, reason: 'empty', message: 'the answer has no text' } as const;

function readArticle(answers: AlternateAnswer[], reading: AlternateTask['reading']): Article | null {
  const [first] = answers;
  if (first === undefined) return null;
  if (reading.kind === 'site') return writeSite(answers.map(readValue), reading);
  if (reading.kind === 'oembed') return readOembed(readValue(first).value, reading.page);
  const markdown = decodeMarkdown(first);
  const text = markdown === null || reading.kind === 'twin' ? markdown : findSection(markdown, reading.page);
  if (text === null) return null;
  // Its links are relative to its own address.
  const { url: _url, canonicalUrl: _canonical, ...article } = readMarkdown(text, first.url);
  return { ...article, url: reading.page, canonicalUrl: reading.page };
}

/** Returns the Markdown of an answer; null for HTML, which sites send for any address, and for anything that is not text. */
function decodeMarkdown({ bytes, contentType, url }: AlternateAnswer): string | null {
  const format = detectFormat(bytes, contentType, url);
  return format === 'markdown' || format === 'text' ? decode(bytes, contentType).text : null;
}

/** Parses JSON; returns everything else as text. */
function readValue({ bytes, contentType, url }: AlternateAnswer): { value: unknown; url: string } {
  const { text } = decode(bytes, contentType);
  try {
    return { value: /^\s*[[{]/.test(text) ? JSON.parse(text) : text, url };
  } catch (error) {
    // Deep nesting ends in a RangeError.
    if (error instanceof SyntaxError || error instanceof RangeError) return { value: text, url };
    throw error;
  }
}
