import type { Article } from '../article.ts';
import type { Extracted } from '../extract-task.ts';
import { finishArticle } from '../finish-article.ts';
import { decode } from '../formats/decode.ts';
import { formatOf } from '../formats/format-of.ts';
import { readMarkdown } from '../formats/markdown/read-markdown.ts';
import { unreadable } from '../unreadable.ts';
import { sectionOf } from './llms-section.ts';
import { readOembed } from './oembed.ts';
import type { WayAnswer, WayTask } from './way-types.ts';
import { writeSite } from './write-site.ts';

/** The answers of a way -> the article of the page that they stand for, with no date after `lastDay`. Runs in a worker thread. */
export function wayTask({ answers, reading, route }: WayTask, lastDay: string | null): Extracted {
  try {
    const article = articleOf(answers, reading);
    if (article === null || article.markdown.trim() === '') return NOTHING;
    return { ok: true, article: { ...finishArticle(article, lastDay), readRoute: route } };
  } catch (error) {
    return unreadable(error);
  }
}

const NOTHING = { ok: false, reason: 'empty', message: 'the answer has no text' } as const;

function articleOf(answers: WayAnswer[], reading: WayTask['reading']): Article | null {
  const [first] = answers;
  if (first === undefined) return null;
  if (reading.kind === 'site') return writeSite(answers.map(readValue), reading);
  if (reading.kind === 'oembed') return readOembed(readValue(first).value, reading.page);
  const markdown = markdownOf(first);
  const text = markdown === null || reading.kind === 'twin' ? markdown : sectionOf(markdown, reading.page);
  if (text === null) return null;
  // Its links stand on its own address.
  const { url: _url, canonicalUrl: _canonical, ...article } = readMarkdown(text, first.url);
  return { ...article, url: reading.page, canonicalUrl: reading.page };
}

/** The Markdown of an answer; null for HTML, which sites send for any address, and for what is no text. */
function markdownOf({ bytes, contentType, url }: WayAnswer): string | null {
  const format = formatOf(bytes, contentType, url);
  return format === 'markdown' || format === 'text' ? decode(bytes, contentType).text : null;
}

/** JSON as its value, all else as text. */
function readValue({ bytes, contentType, url }: WayAnswer): { value: unknown; url: string } {
  const { text } = decode(bytes, contentType);
  try {
    return { value: /^\s*[[{]/.test(text) ? JSON.parse(text) : text, url };
  } catch (error) {
    // Deep nesting ends in a RangeError.
    if (error instanceof SyntaxError || error instanceof RangeError) return { value: text, url };
    throw error;
  }
}
