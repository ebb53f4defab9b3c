import { createFetchFailure, Failure } from '../../../contract/errors.ts';
import { stripFragment } from '../../../text/urls/url-spelling.ts';
import type { Article } from '../../article.ts';
import { markdownOfHtml } from '../markdown-of-html.ts';
import { plainArticle } from '../plain-article.ts';
import { htmlOfBlocks } from './block-html.ts';
import { blocksOf } from './blocks.ts';
import { isEngineEnd, openPdf, type PdfEngine, tooLarge } from './engine.ts';
import { typeFacts } from './headings.ts';
import { readOutline } from './outline.ts';
import { type Line, pageLines, withoutRunningLines } from './page-lines.ts';
import { pageRuns } from './page-runs.ts';
import { inReadingOrder } from './reading-order.ts';

/** Longer documents are refused. */
export const PDF_PAGES_MAX = 2_000;
/** Titles that a program wrote, not a person. */
const NO_TITLE =
  /^(?:untitled|document\d*|microsoft word\b.*|.*\.(?:docx?|odt|tex|dvi|indd|pdf|html?|qxd))?$/i;

/**
 * A PDF as Markdown, its pages marked by links to them. Throws `fetch_failed` 'undecodable' for what is encrypted, damaged or
 * beyond the bounds, and 'empty' for scans.
 */
export async function readPdf(bytes: Uint8Array, url: string): Promise<Article> {
  try {
    const engine = await openPdf(bytes);
    return articleOf(engine, url);
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (isEngineEnd(error)) throw tooLarge();
    throw error;
  }
}

function articleOf(engine: PdfEngine, url: string): Article {
  const pages = readPages(engine);
  const lines = withoutRunningLines(pages).flatMap(inReadingOrder);
  const blocks = blocksOf(lines, typeFacts(lines, readOutline(engine)));
  const { markdown, headings, links } = markdownOfHtml(htmlOfBlocks(blocks, stripFragment(url)), url);
  const title = meta(engine, 'Title');
  return plainArticle(url, {
    kind: 'document',
    title: NO_TITLE.test(title) ? (headings[0] ?? '') : title,
    markdown,
    headings,
    links,
    rawChars: lines.reduce((sum, { text }) => sum + text.length, 0),
    author: meta(engine, 'Author') || null,
    description: meta(engine, 'Subject') || null,
    language: languageOf(engine),
    published: createdOn(meta(engine, 'CreationDate')),
  });
}

function readPages(engine: PdfEngine): Line[][] {
  const { call, document } = engine;
  const count = call.FPDF_GetPageCount(document);
  if (count > PDF_PAGES_MAX)
    throw createFetchFailure('undecodable', `the PDF has ${count} pages; at most ${PDF_PAGES_MAX} are read`);
  const pages: Line[][] = [];
  let pictures = 0;
  for (let at = 0; at < count; at += 1) {
    const page = call.FPDF_LoadPage(document, at);
    if (page === 0) continue;
    const lines = pageLines(pageRuns(engine, page), at + 1);
    if (lines.length === 0 && call.FPDFPage_CountObjects(page) > 0) pictures += 1;
    pages.push(lines);
    call.FPDF_ClosePage(page);
  }
  if (pictures > 0 && pages.every((lines) => lines.length === 0))
    throw createFetchFailure('empty', 'the PDF has no text: its pages are pictures, such as scans');
  return pages;
}

function meta({ call, document, text, place }: PdfEngine, name: string): string {
  const tag = place(name);
  return text('utf-16le', (buffer, bytes) => call.FPDF_GetMetaText(document, tag, buffer, bytes)).trim();
}

function languageOf({ call, document, text }: PdfEngine): string | null {
  const tag = text('utf-16le', (buffer, bytes) => call.FPDFCatalog_GetLanguage(document, buffer, bytes));
  return /^[a-z]{2,3}(?![a-z])/i.exec(tag.trim())?.[0].toLowerCase() ?? null;
}

/** A date such as `D:20240131120000+01'00'`. */
function createdOn(date: string): Article['published'] {
  const [, year, month, day] = /^(?:D:)?((?:19|20)\d{2})(\d{2})(\d{2})/.exec(date) ?? [];
  const iso = `${year}-${month}-${day}`;
  return year === undefined || Number.isNaN(Date.parse(iso)) ? null : { day: iso, from: 'meta' };
}
