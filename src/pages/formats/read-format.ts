/**
 * Reads decoded text of every format as an article, one reader per format. It promises an article for any text: what a reader does not
 * recognise stays as written. It decodes no bytes and reads no documents, such as PDF.
 */
import type { Article } from '../article.ts';
import type { OperatorRule } from '../extract/content/rules/operator-rules.ts';
import { extractHtml, extractWithExtras } from '../extract/extract-html.ts';
import type { ExtrasRequest, PageExtras } from '../extract/extras/map-fields.ts';
import { buildTextExtras } from '../extract/extras/take-extras.ts';
import type { Pointers } from '../extract/metadata/addresses.ts';
import { readCsv } from './csv.ts';
import type { TextFormat } from './detect-format.ts';
import { readSitemapArticle, readXmlFeed } from './feeds/xml-feed.ts';
import { readJson } from './json.ts';
import { readMarkdown } from './markdown/read-markdown.ts';
import { readSvg } from './pictures/svg.ts';
import { readSubtitles } from './subtitles.ts';
import { readText } from './text.ts';

/** Reads decoded text of the given format as an article; `markdown` is '' when there is nothing to read. */
export function readFormat(format: TextFormat, text: string, url: string): Article {
  if (format === 'html') return extractHtml(text, url);
  if (format === 'markdown') return readMarkdown(text, url);
  if (format === 'json') return readJson(text, url);
  if (format === 'text') return readText(text, url);
  if (format === 'csv') return readCsv(text, url);
  if (format === 'subtitles') return readSubtitles(text, url);
  if (format === 'svg') return readSvg(text, url);
  return readXmlFeed(text, url) ?? readSitemapArticle(text, url) ?? readOtherXml(text, url);
}

/** Does what `readFormat` does, and also returns the requested extras and the pointers of an HTML page to other addresses. */
export function readWithExtras(
  page: { format: TextFormat; text: string; url: string; lastDay: string | null; rule?: OperatorRule | null },
  wanted: ExtrasRequest | null,
): { article: Article; pointers?: Pointers; extras?: PageExtras } {
  const { format, text, url, lastDay, rule = null } = page;
  if (format === 'html' || (format === 'xml' && isXhtml(text)))
    return extractWithExtras(text, url, wanted, { lastDay, rule });
  const article = readFormat(format, text, url);
  return wanted === null ? { article } : { article, extras: buildTextExtras(text, article, wanted) };
}

/** Reads other XML: XHTML with a general type as HTML, anything else unchanged in a fence. */
function readOtherXml(text: string, url: string): Article {
  if (isXhtml(text)) return extractHtml(text, url);
  const article = readText(text, url);
  const code = '```xml\n';
  return article.markdown === '' || article.markdown.startsWith('```')
    ? article
    : { ...article, markdown: `${code}${article.markdown}\n\`\`\`` };
}

const isXhtml = (text: string): boolean => /<html[\s>]/i.test(text.slice(0, 2_000));
